import type { TestProject } from 'vitest/node';

/**
 * Runs before the suites of a project that tests one backend. The cluster suites need real servers. Without their
 * addresses every test would fail for the same reason, so this fails once and names the missing settings.
 *
 * @public Vitest calls it.
 */
export function setup(project: TestProject): void {
  if (project.config.provide.backend !== 'cluster') return;
  const missing = ['MONGODB_URL', 'REDIS_URL'].filter((name) => !process.env[name]);
  if (missing.length === 0) return;
  const reason =
    process.env.REQUIRE_CLUSTER === '1' ? 'REQUIRE_CLUSTER=1 forbids skipping it' : '`npm test` skips it without them';
  throw new Error(`The project ${project.name} needs ${missing.join(' and ')} (${reason}).`);
}
