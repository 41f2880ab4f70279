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
  /** How many widgets the scan offered to the queue. The queue may have ignored their job. */
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
 * Above the time that a healthy run takes, so that the scanner disturbs none. Below what a subscriber would call late.
 */
export const outboxScanAgeMs = 5_000;
const widgetsPerJob = batchLimits.items;
const pageSize = batchLimits.items;
/** The most pages that one scan reads per search: 4 096 widgets. The next scan continues behind them. */
const pagesPerScan = 16;

/**
 * Makes the scanner: it finds widgets with overdue outboxes and enqueues nudges for them. The nudge is needed if an
 * earlier nudge was lost, a run crashed, or the queue was wiped. An overdue outbox alone does not prove that: the age
 * counts from `receivedAt`, so it is also overdue after a long wait in the queue, or as long as the event log is
 * unavailable.
 *
 * Each partition gets one job with the first widgets that this scan finds for it, under a fixed id. While that job
 * waits or runs, the queue ignores another one, so repeated scans do not make a backlog longer. The search continues
 * past widgets for which a job has no room. So a partition that is held up does not hide the widgets of the others.
 *
 * It also nudges outboxes that are dated more than `scanAgeMs` in the future, because a clock was ahead or was set
 * back. Overdue outboxes come first: their delay is certain.
 *
 * After `signal` is aborted, a search reads no further page. Throws `UnavailableError` when a store did not answer:
 * some or all jobs of this scan are then missing, and the next scan starts again at the oldest widget.
 */
export function makeScanOutboxes(deps: ScanOutboxesDeps) {
  const { outboxes, hookQueue, clock, scanAgeMs } = deps;
  const overdue = createResumableSearch((from) =>
    outboxes.findOverdue(new Date(clock.now().getTime() - scanAgeMs), pageSize, from),
  );
  // The true age of these is unknown. A nudge for an outbox that is not overdue does no harm.
  const futureDated = createResumableSearch((from) =>
    outboxes.findFutureDated(new Date(clock.now().getTime() + scanAgeMs), pageSize, from),
  );
  const fullJobs = createFullJobTracker();

  return async (signal: AbortSignal): Promise<OutboxScan> => {
    const isFromOldest = overdue.isAtStart();
    const jobs = createNudgeJobs(hookQueue.partitionCount);
    let oldestSince: Date | null | undefined;
    try {
      const oldest = await overdue.collect(jobs, signal);
      oldestSince = isFromOldest ? (oldest?.since ?? null) : undefined;
      await futureDated.collect(jobs, signal);
      await Promise.all([...jobs.byPartition].map(([partition, ids]) => enqueueNudges(deps, partition, ids)));
    } catch (error) {
      overdue.reset();
      futureDated.reset();
      throw error;
    }
    const widgets = [...jobs.byPartition.values()].reduce((sum, ids) => sum + ids.length, 0);
    return { widgets, hasMore: isFromOldest && fullJobs.hasNewFullJob(jobs), oldestSince };
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
 * Remembers the last widget of each partition's full job. Once a scan no longer collects that widget, the job counts as
 * processed: the widgets before it are published too. Older widgets that were found since can also push it out of the
 * collection. The job then counts as processed too early, which costs one more scan.
 */
function createFullJobTracker() {
  let lastWidgetIds: ReadonlyMap<number, string> = new Map();
  return {
    /**
     * Remembers the full jobs of a scan that started at the oldest widget. Returns whether a partition has a full job
     * and no unprocessed full job from an earlier scan.
     */
    hasNewFullJob({ byPartition }: NudgeJobs): boolean {
      const waiting = [...lastWidgetIds].filter(([partition, lastId]) => byPartition.get(partition)?.includes(lastId));
      const waitingPartitions = new Set(waiting.map(([partition]) => partition));
      const added = [...byPartition].flatMap(([partition, ids]): [number, string][] => {
        const lastId = ids[widgetsPerJob - 1];
        return lastId === undefined || waitingPartitions.has(partition) ? [] : [[partition, lastId]];
      });
      lastWidgetIds = new Map([...waiting, ...added]);
      return added.length > 0;
    },
  };
}

/**
 * A search that continues where its last scan stopped. It starts again at the oldest widget once it has found all
 * widgets, or once every partition's job is full.
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

function enqueueNudges(deps: ScanOutboxesDeps, partition: number, widgetIds: readonly string[]): Promise<void> {
  return deps.hookQueue.enqueue({
    jobId: `scan-${partition}`,
    partition,
    items: widgetIds.map((widgetId) => ({ type: 'nudge', widgetId })),
  });
}
