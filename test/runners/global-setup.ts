import type { TestProject } from 'vitest/node';
import { startRedis } from '../faults/redis-process.ts';

/** The projects with this suffix keep the event log in a Redis of its own. */
const separateEventsRedis = '-separate-events-redis';

/**
 * Runs before the suites of a project that tests one backend. The cluster suites need real servers. Without their
 * addresses every test would fail for the same reason, so this fails once and names the missing settings. A project
 * with a separate Redis for the event log gets one, which this starts and later stops.
 *
 * @public Vitest calls it.
 */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (project.config.provide.backend !== 'cluster') return undefined;
  const missing = ['MONGODB_URL', 'REDIS_URL'].filter((name) => !process.env[name]);
  if (missing.length > 0) throw toMissingError(project, missing);
  if (!project.name.endsWith(separateEventsRedis)) return undefined;
  const redis = await startRedis();
  project.provide('eventsRedisUrl', redis.url);
  return redis.dispose;
}

function toMissingError(project: TestProject, missing: readonly string[]): Error {
  const reason =
    process.env.REQUIRE_CLUSTER === '1' ? 'REQUIRE_CLUSTER=1 forbids skipping it' : '`npm test` skips it without them';
  return new Error(`The project ${project.name} needs ${missing.join(' and ')} (${reason}).`);
}
