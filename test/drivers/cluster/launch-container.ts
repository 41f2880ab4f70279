import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync } from 'node:fs';

/** The variable that names an image. With it, scenarios start containers of that image in place of processes. */
export const imageVariable = 'SCENARIO_IMAGE';
/** The image that `npm run scenarios` builds: the one that compose.yaml names. */
export const builtImage = 'widget-service:compose';

let started = 0;

/**
 * Starts a container as strictly as a cluster does: a read-only root, no capability, no further privileges, and a user
 * that has no name in the image. It uses this machine's network, so that it finds the stores by the addresses that
 * processes use. `DATA_DIR` is the one folder that it may write.
 */
export function launchContainer(
  image: string,
  command: readonly string[],
  environment: Readonly<Record<string, string>>,
) {
  const name = `widget-scenario-${process.pid}-${started++}`;
  const { DATA_DIR: dataFolder } = environment;
  if (dataFolder !== undefined) {
    mkdirSync(dataFolder, { recursive: true });
    chmodSync(dataFolder, 0o777);
  }
  const child = spawn(
    'docker',
    [
      ...['run', '--rm', '--name', name, '--network', 'host'],
      ...['--read-only', '--tmpfs', '/tmp', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'],
      ...['--user', '23456:23456'],
      // As for a process that a scenario starts: the start builds the indexes. The image says `production`.
      ...['--env', 'NODE_ENV=development'],
      ...(dataFolder === undefined ? [] : ['--volume', `${dataFolder}:${dataFolder}`]),
      ...Object.entries(environment).flatMap(([variable, value]) => ['--env', `${variable}=${value}`]),
      ...[image, ...command],
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const inspect = (format: string) =>
    execFileSync('docker', ['inspect', '--format', format, name], { encoding: 'utf8' });
  return {
    child,
    /** The process id outside of the container. Throws if the container has ended. */
    readPid: () => Number(inspect('{{.State.Pid}}')),
    // `docker run` passes only some signals on. The container may have ended a moment ago.
    kill: (signal: NodeJS.Signals) => {
      spawnSync('docker', ['kill', '--signal', signal, name], { stdio: 'ignore' });
    },
    /** `docker run` reports the end by a signal as 128 and the number of the signal. */
    toExitCode: (code: number | null) => (code === null || code > 128 ? null : code),
  };
}
