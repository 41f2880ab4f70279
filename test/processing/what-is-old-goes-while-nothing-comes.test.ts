import { createLogger } from '@widget-service/shared/runtime/logger.ts';
import { createMetrics } from '@widget-service/shared/runtime/metrics.ts';
import { createWorkerTasks } from '@widget-service/shared/tasks/worker-tasks.ts';
import { expect, it } from 'vitest';
import { aCreation } from '../drivers/builders.ts';
import { eventually } from '../drivers/eventually.ts';
import { openTestBackend } from '../drivers/open-test-backend.ts';
import { hastyClock } from './consume.ts';

it('a worker drops what the log no longer keeps, while nothing is appended', async () => {
  const { backend, dispose } = await openTestBackend({ retentionMs: 50 });
  const logger = await createLogger({ level: 'silent' });
  const deps = { backend, clock: hastyClock, logger, metrics: createMetrics(), outboxScanAgeMs: 50 };
  const stop = new AbortController();
  const running = createWorkerTasks(deps).map((task) => task.run(stop.signal));
  await backend.widgets.insertOnce(aCreation());
  const extent = async () => (await backend.eventLog.inspect(null))?.extent;
  await eventually(async () => (await extent())?.last.seq === 1, 'the creation is in the log');
  await eventually(async () => (await extent())?.oldest.seq === 1, 'it has been dropped from it', 10_000);
  expect(await backend.eventLog.readAfter({ epoch: '', ms: 0, seq: 0 }, 10)).toEqual([]);
  stop.abort();
  await Promise.all(running);
  await dispose();
});
