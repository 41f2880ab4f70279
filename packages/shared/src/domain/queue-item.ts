import { crc32 } from 'node:zlib';
import type { Delivery } from './delivery.ts';
import type { TraceContext } from './trace-context.ts';

/** An item of a job: a delivery to process, or a nudge, which asks for a widget's outbox to be published. */
export type QueueItem =
  | {
      readonly type: 'delivery';
      readonly delivery: Delivery;
      /** The trace context of the hook. Absent unless its trace is sampled. */
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

/**
 * The most items and bytes of a batch: a larger one saves nothing.
 *
 * A run costs about the same for one item as for 256, so the worker coalesces jobs up to this size. Above it, the cost
 * grows with the number of items. `bytes` is compared with the `length` of strings: of the payloads when a pod makes a
 * job, of the texts of whole jobs when a worker coalesces them. Text that is not ASCII has more bytes than that.
 */
export const batchLimits = { items: 256, bytes: 512 * 1024 } as const;

/** Deliveries of one integration that are in the hook queue, and the bytes of their payloads. */
export interface WaitingDeliveries {
  readonly deliveries: number;
  readonly bytes: number;
}

/** By integration id. */
export type WaitingByIntegration = ReadonlyMap<string, WaitingDeliveries>;

/** Counts deliveries by integration. Counts may be negative: then more were removed than added. Nudges do not count. */
export class WaitingTally {
  #counts = new Map<string, WaitingDeliveries>();

  get counts(): WaitingByIntegration {
    return this.#counts;
  }

  add(items: readonly QueueItem[], sign: 1 | -1 = 1): void {
    for (const item of items) {
      if (item.type === 'nudge') continue;
      const { integrationId, payload } = item.delivery;
      this.#addCounts(integrationId, sign, sign * (payload === null ? 0 : Buffer.byteLength(payload)));
    }
  }

  addAll(counts: WaitingByIntegration): void {
    for (const [id, { deliveries, bytes }] of counts) this.#addCounts(id, deliveries, bytes);
  }

  /** Returns all counts, and begins at 0 again. */
  drain(): WaitingByIntegration {
    const counts = this.#counts;
    this.#counts = new Map();
    return counts;
  }

  #addCounts(id: string, deliveries: number, bytes: number): void {
    const before = this.#counts.get(id);
    const after = { deliveries: (before?.deliveries ?? 0) + deliveries, bytes: (before?.bytes ?? 0) + bytes };
    if (after.deliveries === 0 && after.bytes === 0) this.#counts.delete(id);
    else this.#counts.set(id, after);
  }
}
