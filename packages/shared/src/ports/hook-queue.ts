import type { MalformedDelivery } from '../domain/hook-event.ts';
import type { QueueItem } from '../domain/queue-item.ts';

/** An item of a job, or a whole job, that no version of the service writes. It will never be readable. */
export interface UnreadableItem {
  /** As it stands in the queue. */
  readonly text: string;
  /** What it says of a delivery; null when it does not even tell which one. */
  readonly delivery: MalformedDelivery | null;
}

export interface HookBatch {
  /** Made before the first try, so that a repeated try cannot store the batch twice while it is there. */
  readonly jobId: string;
  readonly partition: number;
  readonly items: readonly QueueItem[];
}

export interface ConsumedBatch {
  /** The job that was started. */
  readonly jobId: string;
  readonly partition: number;
  /** Its items, and behind them those of later jobs that are run together with it. */
  readonly items: readonly QueueItem[];
  /** What of the job cannot be read, and never will be: the handler sees to it that nothing of it is lost. */
  readonly unreadable: readonly UnreadableItem[];
  /** How often the job was started, this time included. A hint only: a restored store may have forgotten some. */
  readonly startCount: number;
  /** Aborted when this consumer has lost the job or is closing: stop as soon as it is safe to. */
  readonly signal: AbortSignal;
}

export interface ConsumeOptions {
  /**
   * Whether jobs that wait behind the one that was started are run together with it, within the limits of take-along.ts. A run
   * costs much the same for one item as for many. A job that was started several times is run alone, and so is one
   * that cannot be read as a whole.
   */
  readonly coalesce: boolean;
  /**
   * Awaited after each hand-back: until it resolves this consumer takes no job of that partition, and another may take
   * the one that was handed back. Must resolve soon once the signal is aborted: then the consumer is closing. Never
   * rejects.
   */
  readonly waitUntilReady?: (signal: AbortSignal) => Promise<void>;
}

/** `release` puts the job at the front of its partition again. */
export type ConsumeOutcome = 'done' | 'release';

export interface QueuePressure {
  readonly waitingJobs: number;
  /** Used share of the memory the store may use, 0 to 1; null where there is no such limit. */
  readonly memoryUsedRatio: number | null;
}

/**
 * Accepted hooks on their way to processing, in partitions; within a partition jobs start in order of arrival, one at
 * a time. At least once: a job whose consumer died is started again, and may then run twice at the same time. A job of
 * a newer version than this process knows waits, and its partition with it, for a consumer of that version.
 */
export interface HookQueue {
  /** How many partitions new batches are spread over; may grow while the process runs. */
  readonly partitionCount: number;
  /**
   * Resolves once the batch is durable. Rejects with `UnavailableError` within 2 s; the batch may be stored all the
   * same. A batch whose `jobId` is waiting or active is not stored again.
   */
  enqueue(batch: HookBatch): Promise<void>;
  pressure(): Promise<QueuePressure>;
  /** Starts handing jobs to `handle`, of every partition there ever was. A rejection of `handle` is a hand-back. */
  consume(handle: (batch: ConsumedBatch) => Promise<ConsumeOutcome>, options?: ConsumeOptions): Promise<HookConsumer>;
}

export interface HookConsumer {
  /** Throws when jobs have not been asked for as often as they should: the consumer is stuck. */
  checkProgress(): void;
  /** Takes no more jobs, aborts the running ones' signals, and waits until they were handed back or done. */
  close(): Promise<void>;
}
