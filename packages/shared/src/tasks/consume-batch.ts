import { UnavailableError } from '../domain/errors.ts';
import type { Delivery } from '../domain/hook-event.ts';
import type { QueueItem } from '../domain/queue-item.ts';
import type { ConsumedBatch, ConsumeOutcome } from '../ports/hook-queue.ts';
import { backoffMs } from '../runtime/backoff.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Metrics } from '../runtime/metrics.ts';
import type { BatchOutcome, makeProcessBatch } from '../usecases/hooks/process-batch.ts';
import { type DeadLetterDeps, deadLetter, deadLetterUnreadable } from './dead-letter.ts';
import type { StoreConnectivity } from './store-connectivity.ts';

export interface ConsumeBatchDeps extends DeadLetterDeps {
  readonly processBatch: ReturnType<typeof makeProcessBatch>;
  readonly stores: Pick<StoreConnectivity, 'unreachableSignal' | 'recordSuccess' | 'recordFailure'>;
  readonly clock: Clock;
  readonly metrics: DeadLetterDeps['metrics'] & Pick<Metrics, 'batches' | 'eventsAppended' | 'deliveriesDuplicate'>;
}

/** A job that was started more often did not end well, for whatever reason: it is run item by item. */
const wholeBatchStartsMax = 5;
/** How often a failure that nobody foresaw is met with another try: of a whole batch, and of what came alone. */
const wholeBatchAttemptsMax = 5;
const singleItemAttemptsMax = 3;
const attemptBackoff = { firstMs: 100, maxMs: 5_000 };

/** Items that are run together. */
interface Piece {
  readonly items: readonly QueueItem[];
  /** How often they may still fail before something else is done about it. */
  readonly attemptsLeft: number;
}

/** `retry`: nothing is wrong with the items; `failed`: perhaps something is; `divide`: something is with some of them. */
type Verdict = 'done' | 'retry' | 'failed' | 'divide';

/**
 * Runs a batch until each item is published or given up. What fails because a store is away is waited out here, so that
 * later batches do not overtake it; the job goes back to the front only when this consumer has lost it or is closing, or
 * when the stores have been away for so long that another consumer may do better.
 *
 * A batch with something in it that a store refuses is halved until that stands alone. The halves run in their order,
 * and so the hooks of a widget take effect in theirs.
 */
export async function consumeBatch(deps: ConsumeBatchDeps, batch: ConsumedBatch): Promise<ConsumeOutcome> {
  const signal = AbortSignal.any([batch.signal, deps.stores.unreachableSignal]);
  for (let failures = 1; !signal.aborted && !(await deadLetterUnreadable(deps, batch)); failures += 1) {
    deps.stores.recordFailure();
    await deps.clock.sleep(backoffMs(failures, attemptBackoff), signal);
  }
  let pieces = firstPieces(batch);
  for (let failures = 0; !signal.aborted; ) {
    const [piece, ...others] = pieces;
    if (piece === undefined) return 'done';
    const verdict = await attempt(deps, batch, piece);
    if (verdict === 'done' || verdict === 'divide') {
      pieces = verdict === 'done' ? others : [...splitInHalf(piece.items), ...others];
      failures = 0;
      continue;
    }
    if (verdict === 'failed') pieces = [{ ...piece, attemptsLeft: piece.attemptsLeft - 1 }, ...others];
    failures += 1;
    await deps.clock.sleep(backoffMs(failures, attemptBackoff), signal);
  }
  return 'release';
}

function firstPieces({ items, startCount }: ConsumedBatch): Piece[] {
  if (items.length === 0) return [];
  if (startCount <= wholeBatchStartsMax) return [{ items, attemptsLeft: wholeBatchAttemptsMax }];
  return items.map((item) => ({ items: [item], attemptsLeft: singleItemAttemptsMax }));
}

function splitInHalf(items: readonly QueueItem[]): Piece[] {
  const middle = Math.ceil(items.length / 2);
  const halves = [items.slice(0, middle), items.slice(middle)];
  return halves.map((half) => ({ items: half, attemptsLeft: half.length === 1 ? singleItemAttemptsMax : 1 }));
}

async function attempt(deps: ConsumeBatchDeps, batch: ConsumedBatch, piece: Piece): Promise<Verdict> {
  const { outcome, unstorable } = await run(deps, batch, piece.items);
  if (outcome === 'published') return (await deadLetterAll(deps, batch, unstorable)) ? 'done' : 'retry';
  if (outcome === 'unavailable' || outcome === 'superseded') return 'retry';
  if (outcome !== 'unstorable' && piece.attemptsLeft > 1) return 'failed';
  const [item] = piece.items;
  if (piece.items.length > 1 || item === undefined) return 'divide';
  // It may have taken effect: then only its event is still to be told, and that is tried without end.
  if (outcome === 'failed') return 'retry';
  return (await deadLetterItem(deps, batch, item, outcome)) ? 'done' : 'retry';
}

/** Gives up an item that comes to nothing alone. False when that could not be stored now. */
async function deadLetterItem(
  deps: ConsumeBatchDeps,
  { jobId }: ConsumedBatch,
  item: QueueItem,
  status: 'unstorable' | 'not-applied',
): Promise<boolean> {
  if (item.type === 'delivery') {
    return deadLetter(deps, jobId, item.delivery, status === 'unstorable' ? 'store-refused' : 'invalid-delivery');
  }
  // Nothing is lost with it: the outbox is still there, and the scanner comes again.
  deps.logger.error({ jobId, widgetId: item.widgetId }, 'nudge.dropped');
  return true;
}

async function deadLetterAll(
  deps: ConsumeBatchDeps,
  { jobId }: ConsumedBatch,
  rejected: readonly Delivery[],
): Promise<boolean> {
  for (const delivery of rejected) {
    if (!(await deadLetter(deps, jobId, delivery, 'store-refused'))) return false;
  }
  return true;
}

interface RunResult {
  /** `failed`: something went wrong when its effects had taken place. */
  readonly outcome: BatchOutcome['status'] | 'unavailable' | 'failed';
  /** What came to nothing in a run that was published. */
  readonly unstorable: readonly Delivery[];
}

/** One run, with its one line in the log. */
async function run(deps: ConsumeBatchDeps, batch: ConsumedBatch, items: readonly QueueItem[]): Promise<RunResult> {
  const startedAtMs = deps.clock.monotonicMs();
  const line = { jobId: batch.jobId, partition: batch.partition, starts: batch.startCount, ...describe(items) };
  try {
    const outcome = await deps.processBatch(items, batch.signal);
    const durationMs = Math.round(deps.clock.monotonicMs() - startedAtMs);
    count(deps.metrics, outcome);
    deps.stores.recordSuccess();
    if ('error' in outcome) {
      deps.logger.warn({ ...line, run: outcome.run, durationMs, err: outcome.error }, `batch.${outcome.status}`);
      return { outcome: outcome.status, unstorable: [] };
    }
    const unstorable = outcome.status === 'published' ? outcome.unstorable : [];
    deps.logger.info({ ...line, ...outcome, rejected: unstorable.length, durationMs }, `batch.${outcome.status}`);
    return { outcome: outcome.status, unstorable };
  } catch (error) {
    const isAway = error instanceof UnavailableError;
    deps.metrics.batches.inc({ outcome: isAway ? 'unavailable' : 'failed' });
    if (isAway) deps.stores.recordFailure();
    if (isAway) deps.logger.warn({ ...line, err: error }, 'batch.unavailable');
    else deps.logger.error({ ...line, err: error }, 'batch.failed');
    return { outcome: isAway ? 'unavailable' : 'failed', unstorable: [] };
  }
}

function describe(items: readonly QueueItem[]): { eventIds: string[]; nudges: number } {
  const eventIds = items.flatMap((item) => (item.type === 'delivery' ? [item.delivery.eventId] : []));
  return { eventIds, nudges: items.length - eventIds.length };
}

function count(metrics: ConsumeBatchDeps['metrics'], outcome: BatchOutcome): void {
  metrics.batches.inc({ outcome: outcome.status });
  if (outcome.status !== 'published') return;
  metrics.eventsAppended.inc(outcome.appended);
  metrics.deliveriesDuplicate.inc(outcome.duplicates);
}
