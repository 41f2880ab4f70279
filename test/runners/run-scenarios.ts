/**
 * `npm run scenarios`: runs real processes on real servers and injects faults. It needs MONGODB_URL and REDIS_URL, or
 * Docker. The table at the end lists every fault and the violations that the checkers found. When a scenario fails, the
 * output of every process is in `test/scenario-logs`. Options:
 * - `--long` runs the faults longer and under full load.
 * - `--docker` runs only what needs an engine of Docker: the image and compose. With REQUIRE_DOCKER=1 this is also part
 *   of a run without options.
 * - `--kubernetes` runs only what needs a Kubernetes where pods run. It takes KUBECONFIG (test/kubernetes).
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findClusterServers } from '../drivers/cluster/cluster-servers.ts';
import { logFolderVariable } from '../drivers/cluster/service-process.ts';
import { formatFaultTable, loadFaultRows, tableFolderVariable } from '../faults/fault-table.ts';
import { lengthVariable } from '../faults/scale.ts';
import { buildImage } from './build-image.ts';
import { runVitest, type SuiteResult } from './run-vitest.ts';

const logFolder = fileURLToPath(new URL('../scenario-logs', import.meta.url));
const options = ['--long', '--docker', '--kubernetes'];
const has = (option: string) => process.argv.includes(option);
/** Further arguments go to vitest: names of files, for example. */
const extra = process.argv.slice(2).filter((argument) => !options.includes(argument));

const servers = has('--kubernetes') ? { environment: {}, stop: async () => undefined } : await findClusterServers();
if (servers === null) {
  console.log('*** the scenarios need MONGODB_URL and REDIS_URL, or Docker ***');
  process.exitCode = 1;
} else {
  const folder = await mkdtemp(join(tmpdir(), 'widget-faults-'));
  await rm(logFolder, { recursive: true, force: true });
  await mkdir(logFolder);
  const result = await run({
    ...servers.environment,
    [lengthVariable]: has('--long') ? 'long' : 'short',
    [tableFolderVariable]: folder,
    [logFolderVariable]: logFolder,
  });
  await servers.stop();
  const rows = await loadFaultRows(folder);
  await rm(folder, { recursive: true });
  const violations = rows.flatMap((row) => Object.values(row.violations)).reduce((sum, count) => sum + count, 0);
  if (rows.length > 0)
    console.log(`\n${formatFaultTable(rows)}\n\n${rows.length} checkpoints, ${violations} violations`);
  if (result.skipped > 0)
    console.log(`\n*** SKIPPED: ${result.skipped} scenarios that need what is not here, for example a browser ***`);
  if (result.failed > 0) console.log(`\nThe output of every process is in ${logFolder}`);
  else await rm(logFolder, { recursive: true });
  for (const failure of result.failures) console.log(`\n${failure}`);
  console.log(`\nscenarios: ${result.passed} passed, ${result.failed} failed`);
  process.exitCode = result.failed === 0 ? 0 : 1;
}

async function run(environment: Readonly<Record<string, string>>): Promise<SuiteResult> {
  if (has('--kubernetes')) return runVitest(['kubernetes'], environment, extra);
  const onProcesses = has('--docker') ? [] : ['scenarios', 'scenarios-alone'];
  const isDockerRequired = process.env.REQUIRE_DOCKER === '1';
  if (!has('--docker') && !isDockerRequired) return runVitest(onProcesses, environment, extra);
  const reason = buildImage();
  if (reason === null) return runVitest(['docker', ...onProcesses], environment, extra);
  return { passed: 0, failed: 1, skipped: 0, failures: [`FAILED the image: ${reason}`] };
}
