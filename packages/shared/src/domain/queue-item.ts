import { crc32 } from 'node:zlib';
import type { Delivery } from './hook-event.ts';

/** What a job carries: hooks to carry out, or just the word that a widget's outbox should be published. */
export type QueueItem =
  | { readonly type: 'delivery'; readonly delivery: Delivery }
  | { readonly type: 'nudge'; readonly widgetId: string };

/** Items with the same key are kept in order: they go to one partition. */
export function toOrderingKey(item: QueueItem): string {
  if (item.type === 'nudge') return item.widgetId;
  return item.delivery.widgetId ?? item.delivery.integrationId;
}

/** The partition of a key: the same for the same key and count on every pod. */
export function assignPartition(key: string, partitionCount: number): number {
  return crc32(key) % partitionCount;
}
