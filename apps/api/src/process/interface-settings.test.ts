import { parseSettings } from '@widget-service/shared/config/parse-settings.ts';
import { expect, test } from 'vitest';
import { toInterfaceSettings, toRateLimits } from './interface-settings.ts';
import { describeBackend } from './open-backend.ts';

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

test.each([
  ['embedded', {}, false],
  ['embedded', { STREAMS_PER_POD: '500' }, true],
  ['cluster', {}, true],
] as const)('somebody has planned with the connections of %s with %j: %s', (kind, environment, isPlanned) => {
  const { settings } = parseSettings(environment, { app: 'api' });
  expect(toInterfaceSettings(settings, describeBackend(kind)).connections.isPlanned).toBe(isPlanned);
});
