import { UnavailableError } from '../domain/errors.ts';
import type { Delivery } from '../domain/hook-event.ts';
import type { QueueItem } from '../domain/queue-item.ts';
import type { DeliveryLedger } from '../ports/delivery-ledger.ts';
import type { ConsumedBatch, ConsumeOutcome, HookConsumer, HookQueue } from '../ports/hook-queue.ts';
import { backoffMs } from '../runtime/backoff.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';
import type { Metrics } from '../runtime/metrics.ts';
import type { Task } from '../runtime/supervisor.ts';
import type { BatchOutcome, createProcessBatch } from '../usecases/hooks/process-batch.ts';

export interface HookConsumerDeps {
  readonly hookQueue: Pick<HookQueue, 'consume'>;
  readonly ledger: Pick<DeliveryLedger, 'markDead'>;
  readonly processBatch: ReturnType<typeof createProcessBatch>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'batches' | 'eventsAppended' | 'deliveriesDuplicate' | 'deliveriesDead'>;
}

/** After so many starts that did not end well a batch is run item by item, to find the one that will not go. */
const startsTogether = 5;

/** Takes jobs off the hook queue and runs them until they are done. */
export function createHookConsumerTask(deps: HookConsumerDeps): Task {
  let consumer: HookConsumer | null = null;
  return {
    name: 'hook-consumer',
    run: async (signal) => {
      const opened = await deps.hookQueue.consume((batch) => consumeBatch(deps, batch), { takeAlong: true });
      consumer = opened;
      try {
        await new Promise<void>((resolve) => {
          if (signal.aborted) resolve();
          else signal.addEventListener('abort', () => resolve(), { once: true });
        });
      } finally {
        consumer = null;
        await opened.close();
      }
    },
    problem: () => {
      if (consumer === null) return 'not consuming';
      try {
        consumer.checkProgress();
        return null;
      } catch (error) {
        return error instanceof Error ? error.message : String(error);
      }
    },
  };
}

/**
 * Runs a batch until it is published. What fails because a store is away is waited out here, so that later batches do
 * not overtake it; the job goes back to the front only when this consumer has lost it or is closing.
 */
async function consumeBatch(deps: HookConsumerDeps, batch: ConsumedBatch): Promise<ConsumeOutcome> {
  let starts = batch.starts;
  for (let failures = 1; !batch.signal.aborted; failures += 1) {
    const isDone = starts > startsTogether ? await runOneByOne(deps, batch) : await runTogether(deps, batch);
    if (isDone === 'done') return 'done';
    if (isDone === 'failed') starts += 1;
    await deps.clock.sleep(backoffMs(failures, { firstMs: 100, maxMs: 5_000 }), batch.signal);
  }
  return 'hand-back';
}

/** `waiting`: a store is away, or another run was faster; `failed`: something about this batch. */
type Attempt = 'done' | 'waiting' | 'failed';

async function runTogether(deps: HookConsumerDeps, batch: ConsumedBatch): Promise<Attempt> {
  const outcome = await run(deps, batch, batch.items);
  if (outcome === 'waiting' || outcome === 'failed') return outcome;
  return outcome.status === 'store-refused' ? 'failed' : outcome.status === 'refused' ? 'waiting' : 'done';
}

/** Gives up each item that the store refuses when it comes alone; everything else is only ever tried again. */
async function runOneByOne(deps: HookConsumerDeps, batch: ConsumedBatch): Promise<Attempt> {
  for (const item of batch.items) {
    const outcome = await run(deps, batch, [item]);
    if (outcome === 'waiting' || outcome === 'failed') return outcome;
    if (outcome.status === 'refused') return 'waiting';
    if (outcome.status === 'store-refused') {
      if (item.type !== 'delivery') return 'failed';
      if (!(await giveUp(deps, batch, item.delivery))) return 'waiting';
    }
  }
  return 'done';
}

async function giveUp(deps: HookConsumerDeps, batch: ConsumedBatch, delivery: Delivery): Promise<boolean> {
  try {
    await deps.ledger.markDead(delivery, 'store-refused');
  } catch (error) {
    deps.logger.warn({ jobId: batch.jobId, eventId: delivery.eventId, err: error }, 'delivery.give-up-failed');
    return false;
  }
  deps.metrics.deliveriesDead.inc({ reason: 'store-refused' });
  deps.logger.error({ jobId: batch.jobId, eventId: delivery.eventId, reason: 'store-refused' }, 'delivery.dead');
  return true;
}

/** One run, with its one line in the log. */
async function run(
  deps: HookConsumerDeps,
  batch: ConsumedBatch,
  items: readonly QueueItem[],
): Promise<BatchOutcome | 'waiting' | 'failed'> {
  const startedAtMs = deps.clock.monotonicMs();
  const line = { jobId: batch.jobId, partition: batch.partition, starts: batch.starts, ...describe(items) };
  try {
    const outcome = await deps.processBatch(items, batch.signal);
    const durationMs = Math.round(deps.clock.monotonicMs() - startedAtMs);
    count(deps.metrics, outcome);
    if (outcome.status === 'store-refused') {
      deps.logger.error({ ...line, run: outcome.run, durationMs, err: outcome.error }, 'batch.store-refused');
    } else {
      deps.logger.info({ ...line, ...outcome, durationMs }, `batch.${outcome.status}`);
    }
    return outcome;
  } catch (error) {
    const isAway = error instanceof UnavailableError;
    deps.metrics.batches.inc({ outcome: isAway ? 'unavailable' : 'failed' });
    if (isAway) deps.logger.warn({ ...line, err: error }, 'batch.unavailable');
    else deps.logger.error({ ...line, err: error }, 'batch.failed');
    return isAway ? 'waiting' : 'failed';
  }
}

function describe(items: readonly QueueItem[]): { eventIds: string[]; nudges: number } {
  const eventIds = items.flatMap((item) => (item.type === 'delivery' ? [item.delivery.eventId] : []));
  return { eventIds, nudges: items.length - eventIds.length };
}

function count(metrics: HookConsumerDeps['metrics'], outcome: BatchOutcome): void {
  metrics.batches.inc({ outcome: outcome.status });
  if (outcome.status !== 'published') return;
  metrics.eventsAppended.inc(outcome.appended);
  metrics.deliveriesDuplicate.inc(outcome.duplicates);
}
