import { assignPartition } from '../../domain/queue-item.ts';
import type { HookQueue } from '../../ports/hook-queue.ts';
import {
  advanceScanCursor,
  type OutboxScanCursor,
  type UnpublishedWidget,
  type WidgetOutbox,
} from '../../ports/widget-outbox.ts';
import type { Clock } from '../../runtime/clock.ts';

export interface ScanOutboxesDeps {
  readonly outboxes: Pick<WidgetOutbox, 'findOverdue' | 'findFutureDated'>;
  readonly hookQueue: Pick<HookQueue, 'enqueue' | 'partitionCount'>;
  readonly clock: Clock;
  /** An outbox entry older than this, in milliseconds, was left behind. */
  readonly scanAgeMs: number;
}

export interface OutboxScan {
  /** How many widgets were found of which a job could be made. */
  readonly widgets: number;
  /**
   * Whether more is left of a partition whose last full job has been carried out: another scan soon is of use. Only a
   * scan that began at the oldest can tell; any other says false.
   */
  readonly hasMore: boolean;
}

const widgetsPerJob = 256;
const pageSize = 256;
/** What one scan looks through at most; where there is more, the next one goes on from there. */
const pagesPerScan = 16;

/**
 * Finds widgets whose events were left in the outbox (a creation whose nudge was lost, a crash, a wiped queue), also
 * where the time of the entry is still to come because a clock was set back, and enqueues nudges for them: per
 * partition one job with the oldest of its widgets, under a fixed id. While it waits, another scan adds nothing; so
 * that a partition that is held up does not hide the others, the search goes on past what its job has no room for.
 *
 * Once `signal` is aborted it looks no further than the page it is at. Throws `UnavailableError`; what was found by
 * then gets no job, and the next scan begins at the oldest.
 */
export function makeScanOutboxes(deps: ScanOutboxesDeps) {
  const { outboxes, hookQueue, clock, scanAgeMs } = deps;
  const stale = createResumableSearch((from) =>
    outboxes.findOverdue(new Date(clock.now().getTime() - scanAgeMs), pageSize, from),
  );
  // How old they are nobody knows: one that was not left behind gets a nudge too many.
  const ahead = createResumableSearch((from) =>
    outboxes.findFutureDated(new Date(clock.now().getTime() + scanAgeMs), pageSize, from),
  );
  const fullShares = createFullBatchTracker();

  return async (signal: AbortSignal): Promise<OutboxScan> => {
    const isFromOldest = stale.isAtStart();
    const shares = createNudgeBatches(hookQueue.partitionCount);
    try {
      await stale.goOn(shares, signal);
      await ahead.goOn(shares, signal);
      await Promise.all([...shares.byPartition].map(([partition, ids]) => enqueueNudges(deps, partition, ids)));
    } catch (error) {
      stale.beginAnew();
      ahead.beginAnew();
      throw error;
    }
    const widgets = [...shares.byPartition.values()].reduce((sum, ids) => sum + ids.length, 0);
    return { widgets, hasMore: isFromOldest && fullShares.moveOn(shares) };
  };
}

type NudgeBatches = ReturnType<typeof createNudgeBatches>;

/** For each partition the first widgets that were found, as many as one job takes. */
function createNudgeBatches(partitionCount: number) {
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

/** Knows of each partition's full share the last widget, until that one is found no more: then all before it went too. */
function createFullBatchTracker() {
  let lastOf: ReadonlyMap<number, string> = new Map();
  return {
    /** Takes what was found from the oldest on; tells whether a partition has a full share that follows on another. */
    moveOn({ byPartition }: NudgeBatches): boolean {
      const waiting = [...lastOf].filter(([partition, last]) => byPartition.get(partition)?.includes(last));
      const isWaiting = new Set(waiting.map(([partition]) => partition));
      const begun = [...byPartition].flatMap(([partition, ids]): [number, string][] => {
        const last = ids[widgetsPerJob - 1];
        return last === undefined || isWaiting.has(partition) ? [] : [[partition, last]];
      });
      lastOf = new Map([...waiting, ...begun]);
      return begun.length > 0;
    },
  };
}

/** A search that is taken up where it was left, until it has seen everything or no share has room; then it begins anew. */
function createResumableSearch(find: (from?: OutboxScanCursor) => Promise<UnpublishedWidget[]>) {
  let from: OutboxScanCursor | undefined;
  return {
    isAtStart: () => from === undefined,
    beginAnew(): void {
      from = undefined;
    },
    async goOn(shares: NudgeBatches, signal: AbortSignal): Promise<void> {
      for (let page = 0; page < pagesPerScan && !signal.aborted; page += 1) {
        const found = await find(from);
        for (const { widgetId } of found) shares.add(widgetId);
        const isOver = found.length < pageSize || shares.areFull();
        from = isOver ? undefined : advanceScanCursor(found, from);
        if (isOver) return;
      }
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
