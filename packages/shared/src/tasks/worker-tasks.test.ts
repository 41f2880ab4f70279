import { expect, it } from 'vitest';
import type { Backend } from '../ports/backend.ts';
import { systemClock } from '../runtime/clock.ts';
import { createLogger } from '../runtime/logger.ts';
import { createMetrics } from '../runtime/metrics.ts';
import { createWorkerTasks } from './worker-tasks.ts';

it('tells of no dead letters from the start, so that the first one is an increase', async () => {
  const logger = await createLogger({ level: 'silent' });
  const metrics = createMetrics();
  // Nothing is asked of it before the tasks run.
  const backend = {} as Backend;
  createWorkerTasks({ backend, clock: systemClock, logger, metrics, outboxScanAgeMs: 5_000 });
  const told = await metrics.registry.metrics();
  expect(told).toContain('widget_deliveries_dead_total{reason="store-refused"} 0\n');
  expect(told).toContain('widget_deliveries_dead_total{reason="invalid-delivery"} 0\n');
});
