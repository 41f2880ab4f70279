import type { Metrics } from '../metrics/metrics.ts';
import type { Backend } from '../ports/backend.ts';
import { deadReasons } from '../ports/delivery-ledger.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';
import { createPeriodicTask, type PeriodicOptions, type Task } from '../runtime/supervisor.ts';
import { traceRunPorts } from '../tracing/trace-run-ports.ts';
import { noTracer, type Tracer } from '../tracing/tracer.ts';
import { makePublishOutbox } from '../usecases/events/publish-outbox.ts';
import { makeProcessBatch } from '../usecases/hooks/process-batch.ts';
import { runOutcomes } from './dead-letter-rules.ts';
import { createHookConsumerTask } from './hook-consumer.ts';
import { createOutboxScannerTask } from './outbox-scanner.ts';
import { QueueProgress } from './queue-progress.ts';
import { createQueueWatchTask } from './queue-watch.ts';

export interface WorkerTasksDeps {
  readonly backend: Backend;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** An outbox older than this, in milliseconds, is overdue: the scanner nudges it (`OUTBOX_SCAN_AGE_MS`). */
  readonly outboxScanAgeMs: number;
  /** Left out: no tracing. */
  readonly tracer?: Tracer;
}

/**
 * Makes the hook consumer, the watch of its queue, the scanner and the retention: of a worker or the embedded process.
 */
export function createWorkerTasks(deps: WorkerTasksDeps): Task[] {
  const { backend, clock, logger, metrics, tracer = noTracer } = deps;
  // Creates each series at 0. Prometheus sees no increase in a series that starts at 1, so an alert would miss it.
  for (const reason of deadReasons) metrics.deliveriesDead.inc({ reason }, 0);
  for (const outcome of runOutcomes) metrics.runSeconds.labels({ outcome });
  for (const start of ['first', 'again']) metrics.jobsStarted.inc({ start }, 0);
  const ports = traceRunPorts(backend, tracer);
  const publishOutbox = makePublishOutbox({ ...ports, clock });
  const processBatch = makeProcessBatch({ ...ports, publishOutbox, clock });
  const progress = new QueueProgress(clock);
  const retention: PeriodicOptions = {
    name: 'retention',
    stores: ['documents', 'events'],
    everyMs: 10_000,
    clock,
    onError: (err) => logger.warn({ err }, 'retention.failed'),
  };
  return [
    createHookConsumerTask({ ...backend, processBatch, progress, clock, logger, metrics, tracer }),
    createQueueWatchTask({ ...backend, clock, progress }),
    createOutboxScannerTask({ ...backend, clock, logger, metrics, scanAgeMs: deps.outboxScanAgeMs }),
    createPeriodicTask(retention, async () => {
      await backend.eventLog.trim(await backend.runs.lastPosition());
      await backend.removeExpired(clock.now());
    }),
  ];
}
