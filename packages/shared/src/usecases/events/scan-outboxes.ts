import { partitionOf } from '../../domain/partition.ts';
import type { HookQueue } from '../../ports/hook-queue.ts';
import type { WidgetOutbox } from '../../ports/widget-outbox.ts';
import type { Clock } from '../../runtime/clock.ts';

export interface ScanOutboxesDeps {
  readonly outboxes: Pick<WidgetOutbox, 'findStale' | 'findAhead'>;
  readonly hookQueue: Pick<HookQueue, 'enqueue' | 'partitionCount'>;
  readonly clock: Clock;
  /** An outbox entry older than this, in milliseconds, was left behind. */
  readonly staleAfterMs: number;
}

const widgetsPerScan = 256;

/**
 * Finds widgets whose events were left in the outbox (a creation whose nudge was lost, a crash, a wiped queue), also
 * where the time of the entry is still to come because a clock was set back, and enqueues nudges for them. One job per
 * partition under a fixed id: while it waits, another scan adds nothing. Returns how many widgets it found.
 */
export function createScanOutboxes(deps: ScanOutboxesDeps) {
  return async (): Promise<number> => {
    const nowMs = deps.clock.now().getTime();
    const before = new Date(nowMs - deps.staleAfterMs);
    // How old they are nobody knows: one that was not left behind gets a nudge too many.
    const after = new Date(nowMs + deps.staleAfterMs);
    const stale = await deps.outboxes.findStale(before, widgetsPerScan);
    const ahead = await deps.outboxes.findAhead(after, widgetsPerScan);
    const widgetIds = [...stale, ...ahead].slice(0, widgetsPerScan);
    const byPartition = Map.groupBy(widgetIds, (id) => partitionOf(id, deps.hookQueue.partitionCount));
    await Promise.all(
      [...byPartition].map(([partition, ids]) =>
        deps.hookQueue.enqueue({
          jobId: `scan-${partition}`,
          partition,
          items: ids.map((widgetId) => ({ type: 'nudge', widgetId })),
        }),
      ),
    );
    return widgetIds.length;
  };
}
