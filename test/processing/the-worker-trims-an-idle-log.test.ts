import { createMetrics } from '@widget-service/shared/metrics/metrics.ts';
import { createLogger } from '@widget-service/shared/runtime/logger.ts';
import { createWorkerTasks } from '@widget-service/shared/tasks/worker-tasks.ts';
import { expect, test } from 'vitest';
import { aCreation } from '../drivers/app/builders.ts';
import { openTestBackend } from '../drivers/app/open-test-backend.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import { shortPauseClock } from './consume.ts';

test('trims events past their retention while no run appends', async () => {
  const { backend, dispose } = await openTestBackend({ retentionMs: 50 });
  const logger = await createLogger({ level: 'silent' });
  const deps = { backend, clock: shortPauseClock, logger, metrics: createMetrics(), outboxScanAgeMs: 50 };
  const stop = new AbortController();
  const running = createWorkerTasks(deps).map((task) => task.run(stop.signal));
  await backend.widgets.insertOnce(aCreation());
  const readExtent = async () => (await backend.eventLog.inspect(null))?.extent;
  await eventually(async () => (await readExtent())?.last.seq === 1, 'the log holds the event of the creation');
  await eventually(async () => (await readExtent())?.oldest.seq === 1, 'the worker has trimmed the event', 10_000);
  expect(await backend.eventLog.readAfter({ epoch: '', ms: 0, seq: 0 }, 10)).toEqual([]);
  stop.abort();
  await Promise.all(running);
  await dispose();
});
