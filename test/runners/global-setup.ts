import type { TestProject } from 'vitest/node';

/**
 * Runs before the suites of a project that is about one backend. The cluster's suites need real servers: without their
 * addresses every test would fail for the same reason, so that this is said once.
 */
/** @public Called by vitest. */
export function setup(project: TestProject): void {
  if (project.config.provide.backend !== 'cluster') return;
  const missing = ['MONGODB_URL', 'REDIS_URL'].filter((name) => !process.env[name]);
  if (missing.length === 0) return;
  const reason = process.env.REQUIRE_CLUSTER === '1' ? 'REQUIRE_CLUSTER=1 forbids to skip it' : '`npm test` skips it';
  throw new Error(`The project ${project.name} needs ${missing.join(' and ')} (${reason}).`);
}
