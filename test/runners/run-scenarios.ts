/**
 * `npm run scenarios`: runs real processes on real servers and injects faults. It needs MONGODB_URL and REDIS_URL, or
 * Docker. `-- --long` runs the faults longer and under full load. The table at the end lists every fault and the
 * violations that the checkers found. When a scenario fails, the output of every process is in `test/scenario-logs`.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findClusterServers } from '../drivers/cluster/cluster-servers.ts';
import { logFolderVariable } from '../drivers/cluster/service-process.ts';
import { formatFaultTable, loadFaultRows, tableFolderVariable } from '../faults/fault-table.ts';
import { lengthVariable } from '../faults/scale.ts';
import { runVitest } from './run-vitest.ts';

const logFolder = fileURLToPath(new URL('../scenario-logs', import.meta.url));

const servers = await findClusterServers();
if (servers === null) {
  console.log('*** the scenarios need MONGODB_URL and REDIS_URL, or Docker ***');
  process.exitCode = 1;
} else {
  const isLong = process.argv.includes('--long');
  const extra = process.argv.slice(2).filter((argument) => argument !== '--long');
  const folder = await mkdtemp(join(tmpdir(), 'widget-faults-'));
  await rm(logFolder, { recursive: true, force: true });
  await mkdir(logFolder);
  const variables = {
    [lengthVariable]: isLong ? 'long' : 'short',
    [tableFolderVariable]: folder,
    [logFolderVariable]: logFolder,
  };
  const result = await runVitest(['scenarios', 'scenarios-alone'], { ...servers.environment, ...variables }, extra);
  await servers.stop();
  const rows = await loadFaultRows(folder);
  await rm(folder, { recursive: true });
  const violations = rows.flatMap((row) => Object.values(row.violations)).reduce((sum, count) => sum + count, 0);
  if (rows.length > 0)
    console.log(`\n${formatFaultTable(rows)}\n\n${rows.length} checkpoints, ${violations} violations`);
  if (result.skipped > 0)
    console.log(`\n*** SKIPPED: ${result.skipped} scenarios that need a browser, nginx, haproxy or Prometheus ***`);
  if (result.failed > 0) console.log(`\nThe output of every process is in ${logFolder}`);
  else await rm(logFolder, { recursive: true });
  for (const failure of result.failures) console.log(`\n${failure}`);
  console.log(`\nscenarios: ${result.passed} passed, ${result.failed} failed`);
  process.exitCode = result.failed === 0 ? 0 : 1;
}
