/**
 * The size of a batch above which a larger batch saves nothing.
 *
 * A run costs about the same for one item as for 256, so the worker coalesces jobs up to this size. Above it, the cost
 * grows with the number of items. `bytes` limits the payloads of one job, and the texts of coalesced jobs. Both count
 * `length`, which is less than the bytes for text that is not ASCII.
 */
export const batchLimits = { items: 256, bytes: 512 * 1024 } as const;
