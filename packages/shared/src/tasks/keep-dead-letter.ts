import { hash } from 'node:crypto';
import { serializeHookJob } from '../adapters/hook-job-codec.ts';
import type { Delivery } from '../domain/delivery.ts';
import { UnstorableError } from '../domain/errors.ts';
import { toUuidV8 } from '../domain/uuid.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { DeadReason, DeliveryLedger, RecordedDelivery } from '../ports/delivery-ledger.ts';
import type { ConsumedBatch, UnreadableItem } from '../ports/hook-queue.ts';
import type { QuarantinedText, QuarantineReason, QuarantineStore } from '../ports/quarantine-store.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';

export interface DeadLetterDeps {
  readonly ledger: Pick<DeliveryLedger, 'markDead'>;
  readonly quarantine: Pick<QuarantineStore, 'add'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'deliveriesDead' | 'textsQuarantined'>;
}

/**
 * Dead-letters a delivery: the ledger keeps it with its reason and its body. If the ledger will never accept that row,
 * quarantines the delivery's text instead. Returns false if the store that must keep it did not: then the caller must
 * keep the job and try again. `cause` is the error behind the reason, for the log: no value of the delivery belongs
 * there.
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
 * the ledger will never accept it. Returns false if a store could not keep one of them now. The caller may call it
 * again: items that are kept already stay as they are.
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
    await deps.quarantine.add({ id, reason, jobId, integrationId, quarantinedAt: deps.clock.now(), text });
  } catch (err) {
    deps.logger.warn({ ...fields, err }, 'queue.quarantine_failed');
    return false;
  }
  deps.metrics.textsQuarantined.inc();
  deps.logger.error(fields, 'queue.text_quarantined');
  return true;
}
