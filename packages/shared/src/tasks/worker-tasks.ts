import type { Metrics } from '../metrics/metrics.ts';
import type { Backend } from '../ports/backend.ts';
import { deadReasons } from '../ports/delivery-ledger.ts';
import type { HookConsumer, HookQueue } from '../ports/hook-queue.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';
import { createPeriodicTask, type PeriodicOptions, type Task } from '../runtime/supervisor.ts';
import { noTracer, type Tracer } from '../tracing/tracer.ts';
import { ExpiringMarks } from '../usecases/events/expiring-marks.ts';
import { OutboxPublisher } from '../usecases/events/publish-outbox.ts';
import { RunNumbers } from '../usecases/events/run-numbers.ts';
import { makeScanOutboxes, outboxScanAgeMs, type ScanOutboxesDeps } from '../usecases/events/scan-outboxes.ts';
import { makeProcessBatch } from '../usecases/hooks/process-batch.ts';
import { type ConsumeBatchDeps, consumeBatch } from './consume-batch.ts';
import { runOutcomes } from './dead-letters.ts';
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

/** What the runs of one process share. */
export interface BatchProcessor {
  readonly processBatch: ReturnType<typeof makeProcessBatch>;
  /** Lets the dedupe marks of earlier runs expire: call it every few seconds. Throws `UnavailableError`. */
  readonly expireMarks: () => Promise<void>;
  /** Resolves when steps 7 and 8 of the earlier runs have ended or failed: call it before the process ends. */
  readonly settle: () => Promise<void>;
}

/**
 * A process makes one: its runs share run numbers, and the calls that publish their events. `onUnfinished` is called
 * when steps 7 or 8 fail after the run was reported as published.
 */
export function createBatchProcessor(
  ports: Pick<Backend, 'runs' | 'effects' | 'ledger' | 'outboxes' | 'eventLog'>,
  clock: Clock,
  onUnfinished: (error: unknown) => void = () => undefined,
): BatchProcessor {
  const numbers = new RunNumbers({ ...ports, clock });
  const expiringMarks = new ExpiringMarks({ ...ports, numbers });
  const publisher = new OutboxPublisher({ ...ports, expiringMarks, clock, onUnfinished });
  return {
    processBatch: makeProcessBatch({ ...ports, numbers, publisher, clock }),
    expireMarks: () => expiringMarks.expire(),
    settle: () => publisher.settleAll(),
  };
}

export interface OutboxScannerDeps extends ScanOutboxesDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'outboxesOverdue' | 'outboxAgeSeconds'>;
}

const shortestPauseMs = 100;

/**
 * Makes the task that runs the scanner. It scans every `scanAgeMs / 2`. While workers process a backlog of overdue
 * outboxes it scans again after 100 ms, so that a partition gets its next job soon after the last one. The pauses then
 * double until they reach `scanAgeMs / 2` again.
 */
export function createOutboxScannerTask(deps: OutboxScannerDeps): Task {
  const { clock, logger, metrics } = deps;
  const scanOutboxes = makeScanOutboxes(deps);
  const longestPauseMs = Math.max(shortestPauseMs, deps.scanAgeMs / 2);
  let pauseMs = longestPauseMs;
  const options: PeriodicOptions = {
    name: 'outbox-scanner',
    stores: ['documents', 'queue'],
    everyMs: () => pauseMs,
    clock,
    onError: (err) => {
      metrics.outboxAgeSeconds.set(Number.NaN);
      logger.warn({ err }, 'outbox_scanner.failed');
    },
  };
  return createPeriodicTask(options, async (signal) => {
    pauseMs = Math.min(longestPauseMs, pauseMs * 2);
    const { widgets, hasMore, oldestSince } = await scanOutboxes(signal);
    if (hasMore) pauseMs = shortestPauseMs;
    metrics.outboxesOverdue.inc(widgets);
    if (oldestSince !== undefined) metrics.outboxAgeSeconds.set(toAgeSeconds(clock, oldestSince));
    if (widgets > 0) logger.info({ widgets }, 'outboxes.overdue');
  });
}

/** Null: 0. Not negative: the clock of the process that wrote the time may be ahead. */
function toAgeSeconds(clock: Clock, since: Date | null): number {
  return since === null ? 0 : Math.max(0, clock.now().getTime() - since.getTime()) / 1_000;
}
