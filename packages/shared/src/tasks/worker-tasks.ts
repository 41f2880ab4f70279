import type { Metrics } from '../metrics/metrics.ts';
import type { Backend } from '../ports/backend.ts';
import { deadReasons } from '../ports/delivery-ledger.ts';
import type { HookConsumer, HookQueue } from '../ports/hook-queue.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';
import { createPeriodicTask, type PeriodicOptions, type Task } from '../runtime/supervisor.ts';
import { noTracer, type Tracer } from '../tracing/tracer.ts';
import { makeScanOutboxes, outboxScanAgeMs, type ScanOutboxesDeps } from '../usecases/events/scan-outboxes.ts';
import { BatchProcessor } from '../usecases/hooks/process-batch.ts';
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
  /** An outbox older than this, in milliseconds, is overdue: the scanner nudges it. Default: `outboxScanAgeMs`. */
  readonly outboxScanAgeMs?: number | undefined;
  /** Default: no tracing. */
  readonly tracer?: Tracer;
}

/**
 * Makes the background tasks of a worker, which the embedded process also runs: hook consumer, queue watch, scanner,
 * retention.
 */
export function createWorkerTasks(deps: WorkerTasksDeps): Task[] {
  const { backend, clock, logger, metrics, tracer = noTracer } = deps;
  // Creates each series at 0. Prometheus sees no increase in a series that starts at 1, so an alert would miss it.
  for (const reason of deadReasons) metrics.deliveriesDead.inc({ reason }, 0);
  for (const outcome of runOutcomes) metrics.runSeconds.labels({ outcome });
  for (const start of ['first', 'again']) metrics.jobsStarted.inc({ start }, 0);
  const onUnfinished = (err: unknown) => logger.warn({ err }, 'batch.unfinished');
  const batches = new BatchProcessor({ ...traceRunPorts(backend, tracer), clock, onUnfinished });
  const progress = new QueueProgress(clock);
  const findMismatch = () => backend.findMismatch();
  const stores = new StoreConnectivity({ ...backend, findMismatch, clock, logger });
  const match = new StoreMatch(backend, clock, logger, () => stores.recordMismatch());
  const scanAgeMs = deps.outboxScanAgeMs ?? outboxScanAgeMs;
  const repeat = (name: string, everyMs: number, failure: string, work: () => Promise<void>) =>
    createPeriodicTask(
      { name, stores: ['documents', 'events'], everyMs, clock, onError: (err) => logger.warn({ err }, failure) },
      work,
    );
  return [
    match.task,
    createHookConsumerTask(backend.hookQueue, match, {
      ...backend,
      batches,
      stores,
      progress,
      clock,
      logger,
      metrics,
      tracer,
    }),
    // Marks that are not expired when the process ends stay in the log.
    repeat('dedupe-marks', 2_000, 'dedupe_marks.failed', () => batches.expireMarks()),
    createQueueWatchTask(backend.hookQueue, progress, clock),
    createOutboxScannerTask({ ...backend, clock, logger, metrics, scanAgeMs }),
    repeat('retention', 10_000, 'retention.failed', async () => {
      await backend.eventLog.trim(await backend.runs.lastPosition());
      await backend.removeExpired(clock.now());
    }),
  ];
}

/**
 * Makes the task that consumes the hook queue: see `consumeBatch`. It starts no jobs before the first check of
 * `StoreMatch`, and none while the stores are unreachable.
 */
export function createHookConsumerTask(
  hookQueue: Pick<HookQueue, 'consume'>,
  match: Pick<StoreMatch, 'reason' | 'waitUntilChecked'>,
  deps: ConsumeBatchDeps & { readonly stores: StoreConnectivity },
): Task {
  let consumer: HookConsumer | null = null;
  const { stores, batches } = deps;
  return {
    name: 'hook-consumer',
    get stores() {
      return stores.isUnreachable && stores.silent.length > 0
        ? stores.silent
        : (['documents', 'queue', 'events'] as const);
    },
    run: async (signal) => {
      const opened = await hookQueue.consume((batch) => consumeBatch(deps, batch), {
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
        await batches.waitForRuns();
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

const shortestPauseMs = 100;

/**
 * Makes the task that runs the scanner. It scans every `scanAgeMs / 2`. While workers process a backlog of overdue
 * outboxes it scans again after 100 ms, so that a partition gets its next job soon after the last one. The pauses then
 * double until they reach `scanAgeMs / 2` again.
 */
export function createOutboxScannerTask(deps: ScanOutboxesDeps & Pick<WorkerTasksDeps, 'logger' | 'metrics'>): Task {
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
