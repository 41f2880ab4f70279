import { parseSettings } from '@widget-service/shared/config/parse-settings.ts';
import { expect, test } from 'vitest';
import { toRateLimits } from './rate-limits.ts';

const read = (environment: Record<string, string>) => toRateLimits(parseSettings(environment, { app: 'api' }).settings);

test('a burst is 5 s of its rate, and a rate of 0 is no limit', () => {
  expect(read({})).toMatchObject({
    hooks: { ratePerSecond: 1_000, burst: 5_000 },
    api: { ratePerSecond: 50, burst: 250 },
    signIns: { ratePerSecond: 0.1, burst: 120 },
  });
  expect(read({ HOOK_RATE_PER_SECOND: '0' })).toMatchObject({ hooks: null, api: { ratePerSecond: 50 } });
  expect(read({ API_RATE_PER_SECOND: '0' })).toMatchObject({ hooks: { ratePerSecond: 1_000 }, api: null });
});

test('a provision token creates 10 000 widgets an hour, more if it may send more than 50 requests a second', () => {
  const readWidgets = (rate: string) => read({ API_RATE_PER_SECOND: rate }).widgets;
  expect(['1', '50', '500', '0'].map((rate) => readWidgets(rate)?.burst)).toEqual([10_000, 10_000, 100_000, undefined]);
  expect(readWidgets('50')?.ratePerSecond).toBeCloseTo(10_000 / 3_600);
});
