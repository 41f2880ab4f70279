import type { Settings } from '@widget-service/shared/config/settings.ts';
import { expect, test } from 'vitest';
import { findTargets } from './redis-failover.ts';

test('finds the Sentinels, with the usual port where none is given, and what they are told', () => {
  const REDIS_SENTINELS = 'rediss://ops:p%40ss@one,two:26380,[::1]:26381';
  const settings = { ...{ REDIS_URL: 'rediss://widgets/2', EVENTS_REDIS_URL: null }, REDIS_SENTINELS } as Settings;
  const { addresses = [], ...found } = findTargets(settings, () => undefined).queue.sentinels ?? {};
  expect(found).toEqual({ name: 'widgets', username: 'ops', password: 'p@ss', hasTls: true });
  expect(addresses.map(({ host, port }) => `${host} ${port}`)).toEqual(['one 26379', 'two 26380', '::1 26381']);
});
