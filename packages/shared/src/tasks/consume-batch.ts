import { describeError, UnavailableError, type UnstorableDelivery } from '../domain/errors.ts';
import type { QueueItem } from '../domain/queue-item.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { DeadReason } from '../ports/delivery-ledger.ts';
import type { ConsumedBatch, ConsumeOutcome } from '../ports/hook-queue.ts';
import { backoffMs, type Clock } from '../runtime/clock.ts';
import type { Tracer } from '../tracing/tracer.ts';
import type { BatchOutcome, BatchProcessor } from '../usecases/hooks/process-batch.ts';
import {
  type Chunk,
  type DeadLetterDeps,
  deadLetter,
  deadLetterUnreadable,
  decideNextStep,
  type NextStep,
  type RunOutcome,
  splitInHalf,
  toFirstChunks,
} from './dead-letters.ts';
import type { QueueProgress } from './queue-progress.ts';
import { startRunTrace } from './run-trace.ts';
import type { StoreConnectivity } from './store-connectivity.ts';

export interface ConsumeBatchDeps extends DeadLetterDeps {
  readonly batches: Pick<BatchProcessor, 'process' | 'waitForRuns'>;
  readonly stores: Pick<StoreConnectivity, 'unreachableSignal' | 'recordSuccess' | 'recordFailure'>;
  readonly progress: Pick<QueueProgress, 'recordProgress'>;
  readonly clock: Clock;
  readonly metrics: DeadLetterDeps['metrics'] & RunMetrics;
  /** Default: no tracing. */
  readonly tracer?: Tracer;
}

type RunMetrics = Pick<
  Metrics,
  'jobsStarted' | 'runSeconds' | 'runItems' | 'eventsAppended' | 'eventPublishSeconds' | 'deliveriesDuplicate'
>;

const attemptBackoff = { firstMs: 100, maxMs: 5_000 };

/**
 * Processes the items of a started job until each is published or a dead letter, then returns `done`.
 *
 * - While a store is unavailable, it retries here, so that later batches do not overtake this one.
 * - It returns `release` if this consumer has lost the job, is closing, or has not reached the stores for 10 s. Then
 *   the queue puts the job back at the front of its partition, and any worker may start it.
 * - If an item cannot be applied or stored, it splits the batch into halves until that item is alone, and dead-letters
 *   it. The halves run in order, so the hooks of a widget take effect in order.
 *
 * docs/data-path.md explains which failures are retried, halved and dead-lettered.
 */
export async function consumeBatch(deps: ConsumeBatchDeps, batch: ConsumedBatch): Promise<ConsumeOutcome> {
  deps.metrics.jobsStarted.inc({ start: batch.startCount === 1 ? 'first' : 'again' });
  const signal = AbortSignal.any([batch.signal, deps.stores.unreachableSignal]);
  for (let failures = 1; !signal.aborted && !(await deadLetterUnreadable(deps, batch)); failures += 1) {
    deps.stores.recordFailure();
    await deps.clock.sleep(backoffMs(failures, attemptBackoff), signal);
  }
  let chunks = toFirstChunks(batch);
  for (let failures = 0; !signal.aborted; ) {
    const [chunk, ...laterChunks] = chunks;
    if (chunk === undefined) return 'done';
    const next = await processChunk(deps, batch, chunk);
    if (next === 'done' || next === 'halve') {
      deps.progress.recordProgress(batch.partition);
      chunks = next === 'done' ? laterChunks : [...splitInHalf(chunk), ...laterChunks];
      failures = 0;
      continue;
    }
    if (next === 'retry-counted') chunks = [{ ...chunk, attemptsLeft: chunk.attemptsLeft - 1 }, ...laterChunks];
    failures += 1;
    await deps.clock.sleep(backoffMs(failures, attemptBackoff), signal);
  }
  return 'release';
}

/** Runs the chunk once, stores its dead letters, and returns the next step. */
async function processChunk(
  deps: ConsumeBatchDeps,
  batch: ConsumedBatch,
  chunk: Chunk,
): Promise<Exclude<NextStep, 'dead-letter'>> {
  const { outcome, unstorable, cause } = await runOnce(deps, batch, chunk.items);
  const next = decideNextStep(outcome, chunk);
  if (next === 'done') return (await deadLetterAll(deps, batch, unstorable)) ? 'done' : 'retry';
  if (next !== 'dead-letter') return next;
  const reason = outcome === 'unstorable' ? 'store-refused' : 'invalid-delivery';
  const [item] = chunk.items;
  return item === undefined || (await deadLetterItem(deps, batch, item, { reason, cause })) ? 'done' : 'retry';
}

/** Dead-letters an item that fails even alone. Returns false if the dead letter could not be stored: then retry. */
async function deadLetterItem(
  deps: ConsumeBatchDeps,
  { jobId }: ConsumedBatch,
  item: QueueItem,
  { reason, cause }: { readonly reason: DeadReason; readonly cause: string },
): Promise<boolean> {
  if (item.type === 'delivery') return deadLetter(deps, jobId, item.delivery, reason, cause);
  // Dropping a nudge loses nothing: the widget's outbox remains, and the scanner sends another nudge.
  deps.logger.error({ jobId, widgetId: item.widgetId }, 'nudge.dropped');
  return true;
}

/** Dead-letters the deliveries. Returns false if a dead letter could not be stored: then retry. */
async function deadLetterAll(
  deps: ConsumeBatchDeps,
  { jobId }: ConsumedBatch,
  unstorable: readonly UnstorableDelivery[],
): Promise<boolean> {
  for (const { delivery, cause } of unstorable) {
    if (!(await deadLetter(deps, jobId, delivery, 'store-refused', cause))) return false;
  }
  return true;
}

interface RunResult {
  readonly outcome: RunOutcome;
  /** The unstorable deliveries of a run that published the others. */
  readonly unstorable: readonly UnstorableDelivery[];
  /** The error of a run that failed as a whole; otherwise empty. */
  readonly cause: string;
}

/** Runs the items once and writes one log line about it. */
async function runOnce(deps: ConsumeBatchDeps, batch: ConsumedBatch, items: readonly QueueItem[]): Promise<RunResult> {
  const startedAtMs = deps.clock.monotonicMs();
  const fields = { jobId: batch.jobId, partition: batch.partition, starts: batch.startCount, ...countItems(items) };
  const trace = startRunTrace(deps.tracer, batch, items);
  try {
    const outcome = await trace.runWithin(() => deps.batches.process(trace.items, batch.signal));
    trace.end(outcome.status, outcome.run);
    const durationMs = Math.round(deps.clock.monotonicMs() - startedAtMs);
    recordRun(deps, outcome.status, items, startedAtMs);
    if (outcome.status === 'published') recordPublished(deps, outcome);
    deps.stores.recordSuccess();
    if ('error' in outcome) {
      const { run, error: err } = outcome;
      deps.logger.warn({ ...fields, ...nameWidgets(items), run, durationMs, err }, `batch.${outcome.status}`);
      return { outcome: outcome.status, unstorable: [], cause: describeError(outcome.error) };
    }
    deps.logger.info({ ...fields, ...toLogFields(outcome), durationMs }, `batch.${outcome.status}`);
    return { outcome: outcome.status, unstorable: outcome.status === 'published' ? outcome.unstorable : [], cause: '' };
  } catch (error) {
    const isUnavailable = error instanceof UnavailableError;
    trace.end(isUnavailable ? 'unavailable' : 'failed');
    recordRun(deps, isUnavailable ? 'unavailable' : 'failed', items, startedAtMs);
    // An aborted run may have made no call, so its failure says nothing about the stores.
    if (isUnavailable && !batch.signal.aborted) deps.stores.recordFailure();
    if (isUnavailable) deps.logger.warn({ ...fields, err: error }, 'batch.unavailable');
    else deps.logger.error({ ...fields, ...nameWidgets(items), err: error }, 'batch.failed');
    return { outcome: isUnavailable ? 'unavailable' : 'failed', unstorable: [], cause: describeError(error) };
  }
}

function countItems(items: readonly QueueItem[]): { eventIds: string[]; nudges: number } {
  const eventIds = items.flatMap((item) => (item.type === 'delivery' ? [item.delivery.eventId] : []));
  return { eventIds, nudges: items.length - eventIds.length };
}

/** The most widget ids in one log line. */
const namedWidgetsMax = 5;

/** Names the first widgets of the nudges for the log. Deliveries are named by their event ids. */
function nameWidgets(items: readonly QueueItem[]): { widgetIds?: string[] } {
  const ids = new Set(items.flatMap((item) => (item.type === 'nudge' ? [item.widgetId] : [])));
  return ids.size === 0 ? {} : { widgetIds: [...ids].slice(0, namedWidgetsMax) };
}

type Published = Extract<BatchOutcome, { status: 'published' }>;

/** Logs counts in place of the deliveries, because payloads do not belong in the log. */
function toLogFields(outcome: Exclude<BatchOutcome, { error: Error }>): object {
  if (outcome.status !== 'published') return outcome;
  const { appendedReceivedAt, unstorable, ...fields } = outcome;
  return { ...fields, appended: appendedReceivedAt.length, unstorable: unstorable.length };
}

function recordRun(
  { metrics, clock }: ConsumeBatchDeps,
  outcome: RunOutcome,
  items: readonly QueueItem[],
  startedAtMs: number,
): void {
  metrics.runSeconds.labels({ outcome }).observe((clock.monotonicMs() - startedAtMs) / 1_000);
  metrics.runItems.labels({}).observe(items.length);
}

function recordPublished(
  { metrics, clock }: ConsumeBatchDeps,
  { appendedReceivedAt, duplicates }: Pick<Published, 'appendedReceivedAt' | 'duplicates'>,
): void {
  const nowMs = clock.now().getTime();
  metrics.eventsAppended.inc(appendedReceivedAt.length);
  metrics.deliveriesDuplicate.inc(duplicates);
  // Not negative: the clock of the pod that accepted the hook may be ahead.
  const delay = metrics.eventPublishSeconds.labels({});
  for (const at of appendedReceivedAt) delay.observe(Math.max(0, nowMs - at.getTime()) / 1_000);
}
