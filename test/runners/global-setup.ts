import type { TestProject } from 'vitest/node';
import { startGuardedRedis } from '../faults/guarded-redis.ts';

/** The projects with this suffix keep the event log in a guarded Redis (`startGuardedRedis`) of its own. */
const separateEventsRedis = '-separate-events-redis';
/** The projects with this suffix keep everything that belongs into Redis in a guarded one. */
const guardedRedis = '-guarded-redis';

/**
 * Runs before the suites of a project that tests one backend. The cluster suites need real servers. Without their
 * addresses every test would fail for the same reason, so this fails once and names the missing settings. It starts the
 * Redis that only this project has, and later stops it.
 *
 * @public Vitest calls it.
 */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (project.config.provide.backend !== 'cluster') return undefined;
  const isGuarded = project.name.endsWith(guardedRedis);
  const needed = isGuarded ? ['MONGODB_URL'] : ['MONGODB_URL', 'REDIS_URL'];
  const missing = needed.filter((name) => !process.env[name]);
  if (missing.length > 0) throw toMissingError(project, missing);
  const role = isGuarded ? 'queueRedis' : project.name.endsWith(separateEventsRedis) ? 'eventsRedis' : null;
  if (role === null) return undefined;
  const { redis, tlsUrl, tls, dispose } = await startGuardedRedis();
  project.provide(role, { operatorUrl: redis.url, guard: { tlsUrl, tls } });
  return dispose;
}

function toMissingError(project: TestProject, missing: readonly string[]): Error {
  const reason =
    process.env.REQUIRE_CLUSTER === '1' ? 'REQUIRE_CLUSTER=1 forbids skipping it' : '`npm test` skips it without them';
  return new Error(`The project ${project.name} needs ${missing.join(' and ')} (${reason}).`);
}
