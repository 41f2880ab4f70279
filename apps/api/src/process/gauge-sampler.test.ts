import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMetrics } from '@widget-service/shared/metrics/metrics.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createGaugeSamplerTask } from './gauge-sampler.ts';

/** Runs the task on this directory until it has sampled it. Returns the values of both gauges. */
async function sample(dataDir: string): Promise<(number | undefined)[]> {
  const metrics = createMetrics('embedded');
  const gauges = [metrics.databaseBytes, metrics.databaseDiskFreeBytes];
  const read = async () =>
    (await Promise.all(gauges.map((gauge) => gauge.get()))).map(({ values }) => values[0]?.value);
  const backend = { hookQueue: { inspect: async () => [] }, eventLog: { inspect: async () => null } };
  const task = createGaugeSamplerTask({ backend, tailPosition: () => null, dataDir, clock: systemClock, metrics });
  const stopping = new AbortController();
  const running = task.run(stopping.signal);
  await vi.waitUntil(async () => (await read()).every((value) => value !== 0));
  stopping.abort();
  await running;
  return read();
}

test('shows the bytes of all files in DATA_DIR, and the room on their disk', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'widget-gauges-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'widget-service.sqlite'), 'x'.repeat(5_000));
  writeFileSync(join(folder, 'widget-service.sqlite-wal'), 'x'.repeat(700));
  const [bytes, free] = await sample(folder);
  expect(bytes).toBe(5_700);
  expect(free).toBeGreaterThan(1_000);
});

test('shows NaN if the directory cannot be read', async () => {
  expect(await sample('/nowhere')).toEqual([Number.NaN, Number.NaN]);
});
