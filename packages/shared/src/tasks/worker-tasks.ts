import type { Metrics } from '../metrics/metrics.ts';
import type { Backend } from '../ports/backend.ts';
import { deadReasons } from '../ports/delivery-ledger.ts';
import type { HookConsumer, HookQueue } from '../ports/hook-queue.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';
import { createPeriodicTask, type PeriodicOptions, type Task } from '../runtime/supervisor.ts';
import { noTracer, type Tracer } from '../tracing/tracer.ts';
import { outboxScanAgeMs } from '../usecases/events/scan-outboxes.ts';
import { createBatchProcessor } from './batch-processor.ts';
import { type ConsumeBatchDeps, consumeBatch } from './consume-batch.ts';
import { runOutcomes } from './dead-letters.ts';
import { createOutboxScannerTask } from './outbox-scanner.ts';
import { createQueueWatchTask, QueueProgress } from './queue-progress.ts';
import { traceRunPorts } from './run-trace.ts';
import { StoreConnectivity } from './store-connectivity.ts';
import { StoreMatch } from './store-match.ts';

export interface WorkerTasksDeps {
  readonly backend: Backend;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** An outbox older than this, in milliseconds, is overdue: the scanner nudges it. Left out: `outboxScanAgeMs`. */
  readonly outboxScanAgeMs?: number | undefined;
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
  const { processBatch, expireMarks, settle } = createBatchProcessor(ports, clock, (err) =>
    logger.warn({ err }, 'batch.unfinished'),
  );
  const progress = new QueueProgress(clock);
  const retention: PeriodicOptions = {
    name: 'retention',
    stores: ['documents', 'events'],
    everyMs: 10_000,
    clock,
    onError: (err) => logger.warn({ err }, 'retention.failed'),
  };
  const findMismatch = () => backend.findMismatch();
  const stores = new StoreConnectivity({ ...backend, findMismatch, clock, logger });
  const match = new StoreMatch({ backend, clock, logger, onMismatch: () => stores.recordMismatch() });
  return [
    match.task,
    createHookConsumerTask({
      ...backend,
      stores,
      match,
      processBatch,
      settle,
      progress,
      clock,
      logger,
      metrics,
      tracer,
    }),
    createMarkExpiryTask({ expireMarks, clock, logger }),
    createQueueWatchTask({ ...backend, clock, progress }),
    createOutboxScannerTask({ ...backend, clock, logger, metrics, scanAgeMs: deps.outboxScanAgeMs ?? outboxScanAgeMs }),
    createPeriodicTask(retention, async () => {
      await backend.eventLog.trim(await backend.runs.lastPosition());
      await backend.removeExpired(clock.now());
    }),
  ];
}

/**
 * Lets the dedupe marks of published events expire, every two seconds. Those of the last two seconds stay in the log
 * when the process ends.
 */
function createMarkExpiryTask(deps: {
  readonly expireMarks: () => Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
}): Task {
  const options: PeriodicOptions = {
    name: 'dedupe-marks',
    stores: ['documents', 'events'],
    everyMs: 2_000,
    clock: deps.clock,
    onError: (err) => deps.logger.warn({ err }, 'dedupe_marks.failed'),
  };
  return createPeriodicTask(options, deps.expireMarks);
}

export interface HookConsumerDeps extends Omit<ConsumeBatchDeps, 'stores'> {
  readonly stores: StoreConnectivity;
  readonly match: Pick<StoreMatch, 'reason' | 'waitUntilChecked'>;
  readonly hookQueue: Pick<HookQueue, 'consume'>;
  /** Resolves when the runs before have ended all their steps. */
  readonly settle: () => Promise<void>;
}

/**
 * Makes the task that consumes the hook queue: see `consumeBatch`. It starts no jobs before the stores were found to
 * fit together, and while they are unreachable.
 */
export function createHookConsumerTask(deps: HookConsumerDeps): Task {
  let consumer: HookConsumer | null = null;
  const { stores, match } = deps;
  return {
    name: 'hook-consumer',
    get stores() {
      return stores.isUnreachable && stores.silent.length > 0
        ? stores.silent
        : (['documents', 'queue', 'events'] as const);
    },
    run: async (signal) => {
      const opened = await deps.hookQueue.consume((batch) => consumeBatch(deps, batch), {
        coalesce: true,
        waitUntilReady: async (closing) => {
          await match.waitUntilChecked(closing);
          await stores.waitUntilReachable(closing);
        },
      });
      consumer = opened;
      try {
        await new Promise<void>((resolve) => {
          if (signal.aborted) resolve();
          else signal.addEventListener('abort', () => resolve(), { once: true });
        });
      } finally {
        consumer = null;
        await opened.close();
        await deps.settle();
      }
    },
    unreadyReason: () => {
      if (consumer === null) return 'it does not consume the hook queue';
      // `store-match` says it.
      if (match.reason !== null) return null;
      if (stores.isUnreachable) return 'its stores do not answer';
      try {
        consumer.checkProgress();
        return null;
      } catch (error) {
        return error instanceof Error ? error.message : String(error);
      }
    },
  };
}
