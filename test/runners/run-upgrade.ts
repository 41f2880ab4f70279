/**
 * `npm run scenarios:upgrade -- COMMIT`: replaces the processes of an older commit by those of this checkout and back,
 * one by one and under load. It needs MONGODB_URL and REDIS_URL, or Docker; and haproxy and redis-server.
 */
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findClusterServers } from '../drivers/cluster/cluster-servers.ts';
import { oldCheckoutVariable } from '../upgrade/old-checkout.ts';
import { runVitest } from './run-vitest.ts';

const ownRoot = fileURLToPath(new URL('../../', import.meta.url));

/** Runs a command, and ends this process with 1 if it fails. */
function run(command: string, args: readonly string[], cwd: string): void {
  const { status, error } = spawnSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status === 0) return;
  console.log(`${command} ${args.join(' ')} failed${error === undefined ? '' : `: ${error.message}`}`);
  process.exit(1);
}

const commit = process.argv[2];
const servers = commit === undefined ? null : await findClusterServers();
if (commit === undefined || servers === null) {
  console.log(
    commit === undefined
      ? 'name the older commit: npm run scenarios:upgrade -- COMMIT'
      : '*** the upgrade needs MONGODB_URL and REDIS_URL, or Docker ***',
  );
  process.exitCode = 1;
} else {
  const folder = await mkdtemp(join(tmpdir(), 'widget-upgrade-'));
  try {
    run('git', ['clone', '--quiet', ownRoot, folder], ownRoot);
    run('git', ['checkout', '--quiet', '--detach', commit], folder);
    run('npm', ['ci', '--no-audit', '--no-fund', '--silent'], folder);
    const result = await runVitest(['upgrade'], { ...servers.environment, [oldCheckoutVariable]: folder });
    for (const failure of result.failures) console.log(`\n${failure}`);
    console.log(`\nupgrade: ${result.passed} passed, ${result.failed} failed`);
    process.exitCode = result.failed === 0 && result.passed > 0 ? 0 : 1;
  } finally {
    await servers.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
