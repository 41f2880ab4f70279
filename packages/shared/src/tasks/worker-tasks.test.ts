import { expect, test } from 'vitest';
import { createMetrics } from '../metrics/metrics.ts';
import type { Backend } from '../ports/backend.ts';
import { systemClock } from '../runtime/clock.ts';
import { createLogger } from '../runtime/logger.ts';
import { createWorkerTasks } from './worker-tasks.ts';

test('exposes the dead-letter counters as 0 from the start, so that the first dead letter is an increase', async () => {
  const logger = await createLogger({ level: 'silent' });
  const metrics = createMetrics();
  // The tasks do not run, so they use no store.
  const backend = {} as Backend;
  createWorkerTasks({ backend, clock: systemClock, logger, metrics, outboxScanAgeMs: 5_000 });
  const text = await metrics.registry.metrics();
  expect(text).toContain('widget_deliveries_dead_total{reason="store-refused"} 0\n');
  expect(text).toContain('widget_deliveries_dead_total{reason="invalid-delivery"} 0\n');
});
