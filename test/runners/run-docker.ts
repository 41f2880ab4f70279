/**
 * Builds the image by Docker, and runs what needs an engine: the image by itself, `docker compose`, and some scenarios
 * with containers of the image in place of processes. `NODE_IMAGE` in the environment replaces the base of the
 * Dockerfile.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { isDockerAvailable } from '../drivers/cluster/cluster-servers.ts';
import { imageVariable } from '../drivers/cluster/launch-container.ts';
import { scenariosOnContainers } from '../scenarios/on-containers.ts';
import { runVitest, type SuiteResult } from './run-vitest.ts';

const image = 'widget-service:compose';
const notRun = { passed: 0, failed: 0, skipped: 0, failures: [] };

/**
 * Runs the tests that need an engine of Docker. `environment` has the addresses of the stores and the length of the
 * scenarios. Without an engine it runs nothing and says so.
 */
export async function runDocker(environment: Readonly<Record<string, string>>): Promise<SuiteResult> {
  if (!isDockerAvailable()) {
    const reason = 'no engine of Docker answers';
    if (process.env.REQUIRE_DOCKER === '1') return { ...notRun, failed: 1, failures: [`FAILED docker: ${reason}`] };
    console.log(`*** SKIPPED: the image and compose (${reason}) ***`);
    return notRun;
  }
  const startedAtMs = performance.now();
  const options = process.env.NODE_IMAGE === undefined ? [] : ['--build-arg', 'NODE_IMAGE'];
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const build = spawnSync('docker', ['build', ...options, '--tag', image, root], { encoding: 'utf8' });
  if (build.status !== 0) {
    console.log(`${build.stdout}\n${build.stderr}`);
    return { ...notRun, failed: 1, failures: [`FAILED docker build: it ended with ${build.status}`] };
  }
  console.log(`docker build took ${Math.round((performance.now() - startedAtMs) / 1_000)} s`);
  const variables = { ...environment, [imageVariable]: image };
  return addResults(
    await runVitest(['docker'], variables),
    await runVitest(['scenarios', 'scenarios-alone'], variables, scenariosOnContainers),
  );
}

/** Adds the results of two runs. */
export function addResults(one: SuiteResult, other: SuiteResult): SuiteResult {
  return {
    passed: one.passed + other.passed,
    failed: one.failed + other.failed,
    skipped: one.skipped + other.skipped,
    failures: [...one.failures, ...other.failures],
  };
}
