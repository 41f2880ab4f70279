import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { isDockerAvailable } from '../drivers/cluster/cluster-servers.ts';
import { builtImage } from '../drivers/cluster/launch-container.ts';

/**
 * Builds the image by Docker, for the tests that run containers of it. `NODE_IMAGE` in the environment replaces the
 * base of the Dockerfile. Returns null once it is built, and otherwise why it is not.
 */
export function buildImage(): string | null {
  if (!isDockerAvailable()) return 'no engine of Docker answers';
  const startedAtMs = performance.now();
  const options = process.env.NODE_IMAGE === undefined ? [] : ['--build-arg', 'NODE_IMAGE'];
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const build = spawnSync('docker', ['build', ...options, '--tag', builtImage, root], { encoding: 'utf8' });
  console.log(`docker build took ${Math.round((performance.now() - startedAtMs) / 1_000)} s`);
  if (build.status === 0) return null;
  console.log(`${build.stdout}\n${build.stderr}`);
  return `docker build ended with ${build.status}`;
}
