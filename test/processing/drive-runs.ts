import type { Delivery } from '@widget-service/shared/domain/delivery.ts';
import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import type { LogPosition } from '@widget-service/shared/domain/log-position.ts';
import type { QueueItem } from '@widget-service/shared/domain/queue-item.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import type { LogRecord } from '@widget-service/shared/ports/event-log.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import { type BatchOutcome, BatchProcessor } from '@widget-service/shared/usecases/hooks/process-batch.ts';

/** The ports that a run uses. */
export type RunPorts = Pick<Backend, 'runs' | 'effects' | 'ledger' | 'outboxes' | 'eventLog'>;

type ProcessBatch = BatchProcessor['process'];

const neverAborted = new AbortController().signal;

export const toItem = (delivery: Delivery): QueueItem => ({ type: 'delivery', delivery });

/** Returns a function that runs a batch, and waits for all steps of the run. */
export function runWhole(worker: BatchProcessor): ProcessBatch {
  return async (items, signal) => {
    const outcome = await worker.process(items, signal);
    await worker.waitForRuns();
    return outcome;
  };
}

export const createWorker = (ports: RunPorts): ProcessBatch =>
  runWhole(new BatchProcessor({ ...ports, clock: systemClock }));

/** Runs the batch once. Returns null if a store was unavailable. Throws every other error. */
export async function tryBatch(processBatch: ProcessBatch, items: readonly QueueItem[]): Promise<BatchOutcome | null> {
  try {
    return await processBatch(items, neverAborted);
  } catch (error) {
    if (error instanceof UnavailableError) return null;
    throw error;
  }
}

/**
 * Runs the batch until it is published, as the worker does: again after a run that was superseded or could not reach a
 * store. Throws the error of a run with any other outcome, and throws after `maxRuns` runs.
 */
export async function processUntilPublished(
  processBatch: ProcessBatch,
  items: readonly QueueItem[],
  maxRuns = 20,
): Promise<BatchOutcome & { status: 'published' }> {
  for (let runs = 0; runs < maxRuns; runs += 1) {
    const outcome = await tryBatch(processBatch, items);
    if (outcome === null || outcome.status === 'superseded') continue;
    if (outcome.status === 'published') return outcome;
    throw outcome.error;
  }
  throw new Error(`The batch was not published in ${maxRuns} runs.`);
}

/** Reads all events that the log holds, oldest first. */
export async function readLog(eventLog: Backend['eventLog']): Promise<LogRecord[]> {
  const records: LogRecord[] = [];
  let after: LogPosition | undefined = (await eventLog.inspect(null))?.extent.oldest;
  while (after !== undefined) {
    const page: LogRecord[] = await eventLog.readAfter(after, 500);
    records.push(...page);
    after = page.at(-1);
  }
  return records;
}
