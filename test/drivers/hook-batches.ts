import { randomUUID } from 'node:crypto';
import type { QueueItem } from '@widget-service/shared/domain/queue-item.ts';
import { createUuidV7 } from '@widget-service/shared/domain/uuid.ts';
import type { ConsumedBatch, ConsumeOutcome, HookBatch, HookQueue } from '@widget-service/shared/ports/hook-queue.ts';

export type HandleBatch = (batch: ConsumedBatch) => Promise<ConsumeOutcome> | ConsumeOutcome;

export function aBatch(
  items: readonly QueueItem[] = [{ type: 'nudge', widgetId: createUuidV7() }],
  partition = 0,
): HookBatch {
  return { jobId: `job-${randomUUID()}`, partition, items };
}

export const batches = (count: number) => Array.from({ length: count }, () => aBatch());
export const idsOf = (list: readonly { readonly jobId: string }[]) => list.map(({ jobId }) => jobId);

/** What suites do with the queue of a backend that may be opened anew. */
export function onQueue(queue: () => HookQueue) {
  return {
    enqueueAll: (list: readonly HookBatch[]) => enqueueInOrder(queue(), list),
    consume: (count: number, handle?: HandleBatch) => consumeStarts(queue(), count, handle),
  };
}

async function enqueueInOrder(queue: HookQueue, list: readonly HookBatch[]): Promise<void> {
  for (const batch of list) await queue.enqueue(batch);
}

/** Consumes until `count` starts were seen and their outcomes are settled; returns the starts, in order. */
async function consumeStarts(
  queue: HookQueue,
  count: number,
  handle: HandleBatch = () => 'done',
): Promise<ConsumedBatch[]> {
  const started: ConsumedBatch[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const consumer = await queue.consume(async (batch) => {
    if (started.length >= count) return 'release';
    started.push(batch);
    try {
      return await handle(batch);
    } finally {
      if (started.length === count) setImmediate(resolve);
    }
  });
  await promise;
  await consumer.close();
  return started;
}
