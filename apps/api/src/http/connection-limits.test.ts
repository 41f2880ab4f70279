import { parseSettings } from '@widget-service/shared/config/parse-settings.ts';
import { createMetrics } from '@widget-service/shared/metrics/metrics.ts';
import { expect, test } from 'vitest';
import { ConnectionLimiter, toConnectionLimits } from './connection-limits.ts';

/** Returns the limit that the metric shows, and what was logged. */
async function limit(openFilesMax: number, isPlanned = true) {
  const metrics = createMetrics();
  const logged: unknown[] = [];
  const log =
    (level: string) =>
    (...line: unknown[]) =>
      void logged.push([level, ...line]);
  const logger = { warn: log('warn'), info: log('info') };
  const limits = { perAddress: 10, perPod: 20_000, isPlanned };
  new ConnectionLimiter({ limits, openFilesMax, trustedProxies: null, metrics, logger });
  const { values } = await metrics.connectionsLimit.get();
  return { max: values[0]?.value, logged };
}

test('accepts as many connections as the setting says if the process may open as many files', async () => {
  expect(await limit(20_300)).toEqual({ max: 20_000, logged: [] });
  expect(await limit(Number.POSITIVE_INFINITY)).toEqual({ max: 20_000, logged: [] });
});

test('accepts fewer connections if the process may open fewer files, and says so once', async () => {
  const hint = 'Allow 20300 open files (ulimit -n), or lower STREAMS_PER_POD.';
  const line = { openFilesMax: 1_024, connectionsMax: 724, hint };
  expect(await limit(1_024)).toEqual({ max: 724, logged: [['warn', line, 'connections.limited']] });
  // Nobody has planned with the default of the embedded service: a laptop may have less.
  expect(await limit(1_024, false)).toEqual({ max: 724, logged: [['info', line, 'connections.limited']] });
});

test.each([
  ['an embedded service', {}, true, false],
  ['an embedded service', { STREAMS_PER_POD: '500' }, true, true],
  ['a cluster', {}, false, true],
] as const)('somebody has planned with the connections of %s with %j', (_, environment, startsWithout, isPlanned) => {
  const { settings } = parseSettings(environment, { app: 'api' });
  expect(toConnectionLimits(settings, startsWithout).isPlanned).toBe(isPlanned);
});
