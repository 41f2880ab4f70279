import { hash } from 'node:crypto';
import { serializeHookJob } from '../adapters/hook-job-codec.ts';
import type { Delivery } from '../domain/delivery.ts';
import { UnstorableError } from '../domain/errors.ts';
import type { QueueItem } from '../domain/queue-item.ts';
import { parseUuid, toUuidV8 } from '../domain/uuid.ts';
import type { QuarantinedText, QuarantineReason } from '../entities/quarantined-text.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Collection } from '../ports/collection.ts';
import type { DeadReason, DeliveryLedger, RecordedDelivery } from '../ports/delivery-ledger.ts';
import type { ConsumedBatch, UnreadableItem } from '../ports/hook-queue.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';

/** A job that was started more often than this runs item by item, because one of its items may crash the worker. */
const wholeBatchStartsMax = 5;
/** How many runs of a whole batch, even of one item, may end in `failed` or `not-applied`. */
const wholeBatchAttemptsMax = 5;
/** The same for an item alone, after a halving or many starts. A half with several items has one (`splitInHalf`). */
const singleItemAttemptsMax = 3;

/** Items of a batch that run together. */
export interface Chunk {
  readonly items: readonly QueueItem[];
  /**
   * How many runs of the chunk may still end in `failed` or `not-applied`. After the last of them a chunk of several
   * items is halved. A single item becomes a dead letter (`not-applied`) or is retried without a limit (`failed`).
   */
  readonly attemptsLeft: number;
}

/**
 * Result of one run of a chunk: `published`, or
 * - `superseded`: another run has written one of the widgets. `unavailable`: a store did not answer.
 * - `not-applied`: an unexpected error while the run registered the items, loaded the widgets or stored the effects.
 * - `failed`: an unexpected error when the run took its number (step 1) or published (from step 5 on). Its effects may
 *   be stored.
 * - `unstorable`: a store will never accept a write that registers or applies the items, and the run could not
 *   tell which item is the cause.
 */
export type RunOutcome = (typeof runOutcomes)[number];

export const runOutcomes = ['published', 'superseded', 'unstorable', 'not-applied', 'unavailable', 'failed'] as const;

/**
 * What to do with a chunk after it has run once.
 * - `done`: go on with the next chunk.
 * - `retry`: run it again, without a limit. The cause is a store or another run. Or the chunk is a single item whose
 *   effect may be stored (`failed`), so it must not become a dead letter.
 * - `retry-counted`: run it again and count the attempt, because an item may be the cause.
 * - `halve`: run its halves instead, to isolate the items that are the cause.
 * - `dead-letter`: its one item fails even alone. Keep its delivery as a dead letter; drop a nudge. If an earlier run
 *   stored the effect all the same, the outbox holds the event, and a later run publishes it.
 */
export type NextStep = 'done' | 'retry' | 'retry-counted' | 'halve' | 'dead-letter';

/**
 * Decides what to do after a run of a chunk. An item becomes a dead letter only if its last run ended in `not-applied`
 * or `unstorable`; earlier runs may have ended in `failed`. Two kinds of items need no decision: malformed ones
 * (hook-job-codec.ts), and unstorable ones that the run set aside while it published the rest (process-batch.ts).
 * docs/data-path.md has all rules under "Poison items".
 */
export function decideNextStep(outcome: RunOutcome, { items, attemptsLeft }: Chunk): NextStep {
  if (outcome === 'published') return 'done';
  if (outcome === 'unavailable' || outcome === 'superseded') return 'retry';
  if (outcome !== 'unstorable' && attemptsLeft > 1) return 'retry-counted';
  if (items.length > 1) return 'halve';
  // `failed`: the effect may be stored, and its event must be published, however long that takes.
  return outcome === 'failed' ? 'retry' : 'dead-letter';
}

/** Returns the chunks that a started batch begins with. */
export function toFirstChunks({ items, startCount }: ConsumedBatch): Chunk[] {
  if (items.length === 0) return [];
  if (startCount <= wholeBatchStartsMax) return [{ items, attemptsLeft: wholeBatchAttemptsMax }];
  return items.map((item) => ({ items: [item], attemptsLeft: singleItemAttemptsMax }));
}

/** Returns the halves, which run in order. So the hooks of a widget still take effect in order. */
export function splitInHalf({ items }: Chunk): Chunk[] {
  const middle = Math.ceil(items.length / 2);
  const halves = [items.slice(0, middle), items.slice(middle)];
  return halves.map((half) => ({ items: half, attemptsLeft: half.length === 1 ? singleItemAttemptsMax : 1 }));
}

export interface DeadLetterDeps {
  readonly ledger: Pick<DeliveryLedger, 'markDead'>;
  readonly quarantine: Pick<Collection<QuarantinedText>, 'insert'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'deliveriesDead' | 'textsQuarantined'>;
}

/**
 * Dead-letters a delivery: the ledger keeps it with its reason and its body. If the ledger rejects that row for good,
 * quarantines the delivery's text instead. Returns false if neither could be stored now: the caller must keep the job
 * and try again. `cause` is the error for the log; it must contain no value of the delivery.
 */
export function deadLetter(
  deps: DeadLetterDeps,
  jobId: string,
  delivery: Delivery,
  reason: DeadReason,
  cause: string,
): Promise<boolean> {
  const text = serializeHookJob([{ type: 'delivery', delivery }]);
  return markDeadOrQuarantine(deps, delivery, { reason, cause }, { jobId, part: delivery.eventId, text });
}

/**
 * Dead-letters every unreadable item of a batch. Quarantines it if its event id or integration id cannot be read, or if
 * the ledger rejects it for good. Returns false if one of them could not be stored now. Safe to call again.
 */
export async function deadLetterUnreadable(deps: DeadLetterDeps, batch: ConsumedBatch): Promise<boolean> {
  const { jobId, unreadable } = batch;
  for (const [index, { text, delivery }] of unreadable.entries()) {
    const entry: QuarantineEntry = { jobId, part: String(index), text };
    const isKept =
      delivery === null
        ? await quarantine(deps, entry, 'unreadable', null)
        : await markDeadOrQuarantine(deps, toRecordedDelivery(delivery, deps.clock), malformed, entry);
    if (!isKept) return false;
  }
  return true;
}

/** Why a delivery became a dead letter: what the ledger keeps, and the error for the log. */
interface Death {
  readonly reason: DeadReason;
  readonly cause: string;
}

const malformed: Death = { reason: 'invalid-delivery', cause: 'the queue item is malformed' };
/** In characters. */
const causeLengthMax = 300;

/** What the quarantine keeps of an item that cannot be a dead letter. */
interface QuarantineEntry extends Pick<QuarantinedText, 'jobId' | 'text'> {
  /** Names the part of the job: the index of an unreadable part, or the event id of a delivery. */
  readonly part: string;
}

function toRecordedDelivery(
  delivery: NonNullable<UnreadableItem['delivery']>,
  clock: Pick<Clock, 'now'>,
): RecordedDelivery {
  return { ...delivery, receivedAt: delivery.receivedAt ?? clock.now() };
}

async function markDeadOrQuarantine(
  deps: DeadLetterDeps,
  delivery: RecordedDelivery,
  { reason, cause }: Death,
  entry: QuarantineEntry,
): Promise<boolean> {
  const fields = { jobId: entry.jobId, eventId: delivery.eventId, integrationId: delivery.integrationId };
  try {
    await deps.ledger.markDead(delivery, reason);
  } catch (err) {
    deps.logger.warn({ ...fields, err }, 'delivery.dead_letter_failed');
    return err instanceof UnstorableError ? quarantine(deps, entry, 'store-refused', delivery.integrationId) : false;
  }
  deps.metrics.deliveriesDead.inc({ reason });
  deps.logger.error({ ...fields, reason, cause: cause.slice(0, causeLengthMax) }, 'delivery.dead');
  return true;
}

async function quarantine(
  deps: DeadLetterDeps,
  { jobId, part, text }: QuarantineEntry,
  reason: QuarantineReason,
  integrationId: string | null,
): Promise<boolean> {
  const id = toUuidV8(hash('sha256', `quarantine\n${jobId}\n${part}`, 'hex'));
  const fields = { jobId, quarantineId: id, reason, integrationId };
  try {
    // The same job gives the same id, so nothing is inserted twice. An id that is no UUID is stored as null.
    const named = { reason, jobId, integrationId: parseUuid(integrationId ?? '') };
    const sizeBytes = Buffer.byteLength(text);
    await deps.quarantine.insert({ id, ...named, quarantinedAt: deps.clock.now(), sizeBytes, text });
  } catch (err) {
    deps.logger.warn({ ...fields, err }, 'queue.quarantine_failed');
    return false;
  }
  deps.metrics.textsQuarantined.inc();
  deps.logger.error(fields, 'queue.text_quarantined');
  return true;
}
