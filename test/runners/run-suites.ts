/**
 * `npm test`: every suite that can run here. Without servers and without Docker the cluster suites are skipped, and one
 * line at the end says so; with REQUIRE_CLUSTER=1 that is a failure.
 */
import { findClusterServers } from '../drivers/cluster-servers.ts';
import { runVitest } from './run-vitest.ts';

const everywhere = ['unit', 'conformance-embedded', 'conformance-simulated', 'processing-embedded', 'api-embedded'];
const withServers = ['conformance-cluster', 'processing-cluster', 'api-cluster'];

const servers = await findClusterServers();
const projects = servers === null ? everywhere : [...everywhere, ...withServers];
const result = await runVitest(projects, servers?.environment, process.argv.slice(2));
await servers?.stop();

const isMissing = servers === null && process.env.REQUIRE_CLUSTER === '1';
if (servers === null) {
  console.log(`\n*** SKIPPED: ${withServers.join(', ')} (set MONGODB_URL and REDIS_URL, or start Docker) ***`);
}
if (isMissing) console.log('*** REQUIRE_CLUSTER=1: a skip is a failure ***');
for (const failure of result.failures) console.log(`\n${failure}`);
console.log(`\nsuites: ${result.passed} passed, ${result.failed + (isMissing ? 1 : 0)} failed`);
process.exitCode = result.failed === 0 && !isMissing ? 0 : 1;
