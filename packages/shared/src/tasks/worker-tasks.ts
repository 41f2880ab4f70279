import type { Backend } from '../ports/backend.ts';
import { deadReasons } from '../ports/delivery-ledger.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';
import type { Metrics } from '../runtime/metrics.ts';
import { createPeriodicTask } from '../runtime/periodic.ts';
import type { Task } from '../runtime/supervisor.ts';
import { createPublishOutbox } from '../usecases/events/publish-outbox.ts';
import { createScanOutboxes } from '../usecases/events/scan-outboxes.ts';
import { createProcessBatch } from '../usecases/hooks/process-batch.ts';
import { createHookConsumerTask } from './hook-consumer.ts';

export interface WorkerTasksDeps {
  readonly backend: Backend;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** An outbox older than this, in milliseconds, is published by the scanner. */
  readonly outboxScanAgeMs: number;
}

/** Everything that processes: run by every worker, and by the one process of the embedded service. */
export function createWorkerTasks(deps: WorkerTasksDeps): Task[] {
  const { backend, clock, logger, metrics } = deps;
  // There from the start: of a series that begins with 1 Prometheus sees no increase, so an alert would miss the first.
  for (const reason of deadReasons) metrics.deliveriesDead.inc({ reason }, 0);
  const publishOutbox = createPublishOutbox({ ...backend, clock });
  const processBatch = createProcessBatch({ ...backend, publishOutbox, clock });
  const scanOutboxes = createScanOutboxes({ ...backend, clock, staleAfterMs: deps.outboxScanAgeMs });
  const periodic = (name: string, everyMs: number, work: () => Promise<void>) =>
    createPeriodicTask({ name, everyMs, clock, onError: (err) => logger.warn({ err }, `${name}.failed`) }, work);
  return [
    createHookConsumerTask({ ...backend, processBatch, clock, logger, metrics }),
    periodic('outbox-scanner', Math.max(100, deps.outboxScanAgeMs / 2), async () => {
      const found = await scanOutboxes();
      metrics.outboxesScanned.inc(found);
      if (found > 0) logger.info({ widgets: found }, 'outboxes.found-stale');
    }),
    periodic('retention', 10_000, async () => {
      await backend.eventLog.trim(await backend.runs.lastPosition());
      await backend.removeExpired(clock.now());
    }),
  ];
}
