import { partitionOf } from '../../domain/partition.ts';
import type { HookQueue } from '../../ports/hook-queue.ts';
import { type OutboxPlace, placeBehind, type UnpublishedWidget, type WidgetOutbox } from '../../ports/widget-outbox.ts';
import type { Clock } from '../../runtime/clock.ts';

export interface ScanOutboxesDeps {
  readonly outboxes: Pick<WidgetOutbox, 'findStale' | 'findAhead'>;
  readonly hookQueue: Pick<HookQueue, 'enqueue' | 'partitionCount'>;
  readonly clock: Clock;
  /** An outbox entry older than this, in milliseconds, was left behind. */
  readonly staleAfterMs: number;
}

export interface OutboxScan {
  /** How many widgets were found of which a job could be made. */
  readonly widgets: number;
  /** Whether more is left of a partition whose last job has been carried out: another scan soon is of use. */
  readonly movesOn: boolean;
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
 */
export function createScanOutboxes(deps: ScanOutboxesDeps) {
  const { outboxes, hookQueue, clock, staleAfterMs } = deps;
  const stale = createSearch((from) =>
    outboxes.findStale(new Date(clock.now().getTime() - staleAfterMs), pageSize, from),
  );
  // How old they are nobody knows: one that was not left behind gets a nudge too many.
  const ahead = createSearch((from) =>
    outboxes.findAhead(new Date(clock.now().getTime() + staleAfterMs), pageSize, from),
  );
  /** Per partition the last widget of its full share, as the last search from the oldest on found it. */
  let lastOfShares = new Map<number, string | undefined>();

  return async (): Promise<OutboxScan> => {
    const isFromOldest = stale.isAtStart();
    const shares = createShares(hookQueue.partitionCount);
    await stale.goOn(shares);
    await ahead.goOn(shares);
    await Promise.all([...shares.byPartition].map(([partition, ids]) => enqueueNudges(deps, partition, ids)));
    const widgets = [...shares.byPartition.values()].reduce((sum, ids) => sum + ids.length, 0);
    if (!isFromOldest) return { widgets, movesOn: false };
    const full = [...shares.byPartition].filter(([, ids]) => ids.length === widgetsPerJob);
    const lastNow = new Map(full.map(([partition, ids]) => [partition, ids.at(-1)]));
    const movesOn = [...lastNow].some(([partition, last]) => last !== lastOfShares.get(partition));
    lastOfShares = lastNow;
    return { widgets, movesOn };
  };
}

type Shares = ReturnType<typeof createShares>;

/** For each partition the first widgets that were found, as many as one job takes. */
function createShares(partitionCount: number) {
  const byPartition = new Map<number, string[]>();
  return {
    byPartition,
    add(widgetId: string): void {
      const partition = partitionOf(widgetId, partitionCount);
      const ids = byPartition.get(partition) ?? [];
      if (ids.length < widgetsPerJob) byPartition.set(partition, [...ids, widgetId]);
    },
    areFull: () =>
      byPartition.size === partitionCount && [...byPartition.values()].every((ids) => ids.length === widgetsPerJob),
  };
}

/** A search that is taken up where it was left, until it has seen everything or no share has room; then it begins anew. */
function createSearch(find: (from?: OutboxPlace) => Promise<UnpublishedWidget[]>) {
  let from: OutboxPlace | undefined;
  return {
    isAtStart: () => from === undefined,
    async goOn(shares: Shares): Promise<void> {
      for (let page = 0; page < pagesPerScan; page += 1) {
        const found = await find(from);
        for (const { widgetId } of found) shares.add(widgetId);
        const isOver = found.length < pageSize || shares.areFull();
        from = isOver ? undefined : placeBehind(found, from);
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
