import { crc32 } from 'node:zlib';
import type { Delivery } from './delivery.ts';
import type { TraceContext } from './trace-context.ts';

/** An item of a job: a delivery to process, or a nudge, which asks for a widget's outbox to be published. */
export type QueueItem =
  | {
      readonly type: 'delivery';
      readonly delivery: Delivery;
      /** The span that continues with this item. Left out unless the hook's trace is sampled. */
      readonly traceContext?: TraceContext;
    }
  | { readonly type: 'nudge'; readonly widgetId: string };

/** Returns the key that keeps items in order: items with the same key go to the same partition. */
export function toOrderingKey(item: QueueItem): string {
  if (item.type === 'nudge') return item.widgetId;
  return item.delivery.widgetId ?? item.delivery.integrationId;
}

/** Returns the partition of a key. Every pod returns the same partition for the same key and count. */
export function assignPartition(key: string, partitionCount: number): number {
  return crc32(key) % partitionCount;
}
