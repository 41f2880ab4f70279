/** `npm run scenarios`: real processes, real servers, faults. Needs MONGODB_URL and REDIS_URL, or Docker. */
import { findClusterServers } from './cluster-servers.ts';
import { runVitest } from './run-vitest.ts';

const servers = await findClusterServers();
if (servers === null) {
  console.log('*** the scenarios need MONGODB_URL and REDIS_URL, or Docker ***');
  process.exitCode = 1;
} else {
  const extra = process.argv.slice(2).filter((argument) => argument !== '--long');
  const result = await runVitest(['scenarios'], servers.environment, extra);
  await servers.stop();
  if (result.skipped > 0) console.log(`\n*** SKIPPED: ${result.skipped} scenarios that need a browser and nginx ***`);
  console.log(`\nscenarios: ${result.passed} passed, ${result.failed} failed`);
  process.exitCode = result.failed === 0 ? 0 : 1;
}
