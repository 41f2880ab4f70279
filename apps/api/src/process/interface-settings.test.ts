import { parseSettings } from '@widget-service/shared/config/parse-settings.ts';
import { expect, test } from 'vitest';
import { toRateLimits } from './interface-settings.ts';

const read = (environment: Record<string, string>) => toRateLimits(parseSettings(environment, { app: 'api' }).settings);

test('a burst is 5 s of its rate, and a rate of 0 is no limit', () => {
  expect(read({})).toEqual({ hooks: { ratePerSecond: 1_000, burst: 5_000 }, api: { ratePerSecond: 50, burst: 250 } });
  expect(read({ HOOK_RATE_PER_SECOND: '0' })).toMatchObject({ hooks: null, api: { ratePerSecond: 50 } });
  expect(read({ API_RATE_PER_SECOND: '0' })).toMatchObject({ hooks: { ratePerSecond: 1_000 }, api: null });
});
