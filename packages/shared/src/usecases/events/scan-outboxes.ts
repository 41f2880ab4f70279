import { partitionOf } from '../../domain/partition.ts';
import type { HookQueue } from '../../ports/hook-queue.ts';
import type { WidgetOutbox } from '../../ports/widget-outbox.ts';
import type { Clock } from '../../runtime/clock.ts';

export interface ScanOutboxesDeps {
  readonly outboxes: Pick<WidgetOutbox, 'findStale'>;
  readonly hookQueue: Pick<HookQueue, 'enqueue' | 'partitionCount'>;
  readonly clock: Clock;
  /** An outbox entry older than this, in milliseconds, was left behind. */
  readonly staleAfterMs: number;
}

const widgetsPerScan = 256;

/**
 * Finds widgets whose events were left in the outbox (a creation whose nudge was lost, a crash, a wiped queue) and
 * enqueues nudges for them. One job per partition under a fixed id: while it waits, another scan adds nothing.
 * Returns how many widgets it found.
 */
export function createScanOutboxes(deps: ScanOutboxesDeps) {
  return async (): Promise<number> => {
    const before = new Date(deps.clock.now().getTime() - deps.staleAfterMs);
    const widgetIds = await deps.outboxes.findStale(before, widgetsPerScan);
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
