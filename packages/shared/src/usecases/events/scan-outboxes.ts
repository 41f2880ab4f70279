import { assignPartition, batchLimits } from '../../domain/queue-item.ts';
import type { HookQueue } from '../../ports/hook-queue.ts';
import {
  advanceScanCursor,
  type OutboxScanCursor,
  type UnpublishedWidget,
  type WidgetOutbox,
} from '../../ports/widget-store.ts';
import type { Clock } from '../../runtime/clock.ts';

export interface ScanOutboxesDeps {
  readonly outboxes: Pick<WidgetOutbox, 'findOverdue' | 'findFutureDated'>;
  readonly hookQueue: Pick<HookQueue, 'enqueue' | 'partitionCount'>;
  readonly clock: Clock;
  /** An outbox is overdue if its oldest entry is older than this, in milliseconds. */
  readonly scanAgeMs: number;
}

export interface OutboxScan {
  /** How many widgets this scan enqueued nudges for. The queue ignores a job that it already holds. */
  readonly widgets: number;
  /**
   * True if this scan filled a partition's job, and no full job of an earlier scan still waits there. More widgets may
   * wait behind this job, so the caller should scan again soon. Always false if the scan did not start at the oldest
   * overdue widget: such a scan cannot see whether an earlier job was processed.
   */
  readonly hasMore: boolean;
  /**
   * `receivedAt` of the oldest overdue entry: when the api accepted its hook or creation. Null if no outbox is overdue.
   * Undefined if the scan did not start at the oldest overdue widget.
   */
  readonly oldestSince: Date | null | undefined;
}

/**
 * Longer than a healthy run takes, so that the scanner does not interfere. Shorter than a delay that subscribers
 * notice.
 */
export const outboxScanAgeMs = 5_000;
const widgetsPerJob = batchLimits.items;
const pageSize = batchLimits.items;
/** The most pages that one scan reads per search: 4 096 widgets. The next scan continues behind them. */
const pagesPerScan = 16;

/**
 * Makes the scanner: it finds widgets with overdue outboxes and enqueues nudges, so that a run publishes them. An
 * outbox is overdue if a nudge was lost, a run crashed or the queue was wiped, and also if its hook waited long in the
 * queue or the event log is unavailable: the age counts from `receivedAt`. Then the nudge is superfluous, but harmless.
 *
 * Each partition gets at most one job, under a fixed id, with the first widgets that the scan finds for it. While that
 * job waits or runs, the queue ignores another one, so repeated scans do not lengthen a backlog. When a partition's job
 * is full, the search goes on for the other partitions.
 *
 * It also nudges outboxes whose time is more than `scanAgeMs` in the future, because a clock was wrong. Overdue
 * outboxes come first.
 *
 * After `signal` is aborted, a search reads no further page. Throws `UnavailableError` when a store did not answer:
 * some or all jobs of this scan are then missing, and the next scan starts again at the oldest widget.
 */
export function makeScanOutboxes(deps: ScanOutboxesDeps) {
  const { outboxes, hookQueue, clock, scanAgeMs } = deps;
  const overdue = createResumableSearch((from) =>
    outboxes.findOverdue(new Date(clock.now().getTime() - scanAgeMs), pageSize, from),
  );
  // Their true age is unknown. A superfluous nudge is harmless.
  const futureDated = createResumableSearch((from) =>
    outboxes.findFutureDated(new Date(clock.now().getTime() + scanAgeMs), pageSize, from),
  );
  const hasNewFullJob = trackFullJobs();

  return async (signal: AbortSignal): Promise<OutboxScan> => {
    const isFromOldest = overdue.isAtStart();
    const jobs = createNudgeJobs(hookQueue.partitionCount);
    let oldestSince: Date | null | undefined;
    try {
      const oldest = await overdue.collect(jobs, signal);
      oldestSince = isFromOldest ? (oldest?.since ?? null) : undefined;
      await futureDated.collect(jobs, signal);
      const nudges = [...jobs.byPartition].map(([partition, ids]) => {
        const items = ids.map((widgetId) => ({ type: 'nudge' as const, widgetId }));
        return hookQueue.enqueue({ jobId: `scan-${partition}`, partition, items });
      });
      await Promise.all(nudges);
    } catch (error) {
      overdue.reset();
      futureDated.reset();
      throw error;
    }
    const widgets = [...jobs.byPartition.values()].reduce((sum, ids) => sum + ids.length, 0);
    return { widgets, hasMore: isFromOldest && hasNewFullJob(jobs), oldestSince };
  };
}

type NudgeJobs = ReturnType<typeof createNudgeJobs>;

/** Collects the first widgets that a scan finds for each partition, up to the size of one job. */
function createNudgeJobs(partitionCount: number) {
  const byPartition = new Map<number, string[]>();
  return {
    byPartition,
    add(widgetId: string): void {
      const partition = assignPartition(widgetId, partitionCount);
      const ids = byPartition.get(partition) ?? [];
      if (ids.length < widgetsPerJob) byPartition.set(partition, [...ids, widgetId]);
    },
    areFull: () =>
      byPartition.size === partitionCount && [...byPartition.values()].every((ids) => ids.length === widgetsPerJob),
  };
}

/**
 * Returns a function that gets the jobs of each scan that started at the oldest widget. It says whether a partition has
 * a full job and no unprocessed full job from an earlier scan.
 *
 * A worker has processed a full job once a later scan no longer finds the last widget of that job. Older widgets can
 * also push this widget out of the scan. Then the job counts as processed too early, which costs one more scan.
 */
function trackFullJobs(): (jobs: NudgeJobs) => boolean {
  let lastWidgetIds: ReadonlyMap<number, string> = new Map();
  return ({ byPartition }) => {
    const waiting = [...lastWidgetIds].filter(([partition, lastId]) => byPartition.get(partition)?.includes(lastId));
    const waitingPartitions = new Set(waiting.map(([partition]) => partition));
    const added = [...byPartition].flatMap(([partition, ids]): [number, string][] => {
      const lastId = ids[widgetsPerJob - 1];
      return lastId === undefined || waitingPartitions.has(partition) ? [] : [[partition, lastId]];
    });
    lastWidgetIds = new Map([...waiting, ...added]);
    return added.length > 0;
  };
}

/**
 * A search that continues where the previous scan stopped. It starts again at the oldest widget when it has reached the
 * end, or when every partition's job is full.
 */
function createResumableSearch(find: (from?: OutboxScanCursor) => Promise<UnpublishedWidget[]>) {
  let from: OutboxScanCursor | undefined;
  return {
    isAtStart: () => from === undefined,
    reset(): void {
      from = undefined;
    },
    /** Returns the first widget that it found. */
    async collect(jobs: NudgeJobs, signal: AbortSignal): Promise<UnpublishedWidget | undefined> {
      let first: UnpublishedWidget | undefined;
      for (let page = 0; page < pagesPerScan && !signal.aborted; page += 1) {
        const widgets = await find(from);
        first ??= widgets[0];
        for (const { widgetId } of widgets) jobs.add(widgetId);
        const isComplete = widgets.length < pageSize || jobs.areFull();
        from = isComplete ? undefined : advanceScanCursor(widgets, from);
        if (isComplete) break;
      }
      return first;
    },
  };
}
