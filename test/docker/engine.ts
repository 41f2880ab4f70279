import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { imageVariable } from '../drivers/cluster/launch-container.ts';

/** The image that `npm run scenarios -- --docker` has built. */
export function readImageName(): string {
  const image = process.env[imageVariable];
  if (image === undefined) throw new Error('start these tests by: npm run scenarios -- --docker');
  return image;
}

/** Runs a command of Docker in the root of the repository. Returns what it printed. Throws if it fails. */
export function docker(args: readonly string[], environment: Readonly<Record<string, string>> = {}): string {
  return execFileSync('docker', args, {
    cwd: fileURLToPath(new URL('../../', import.meta.url)),
    env: { ...process.env, ...environment },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 256 * 1024 * 1024,
  });
}

/** Returns a member of what the engine knows of a container or an image, by a template of Go. */
export function inspect(name: string, template: string): string {
  return docker(['inspect', '--format', template, name]).trim();
}

/** Ends the first process of a container as a crash does. `docker kill` would count as a stop by its operator. */
export function crash(container: string): void {
  const pid = inspect(container, '{{.State.Pid}}');
  const options = ['--rm', '--pid', 'host', '--user', '0:0', '--entrypoint', 'bash'];
  docker(['run', ...options, readImageName(), '-c', `kill -9 ${pid}`]);
}
