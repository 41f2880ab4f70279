import { serializeHookJob } from '../adapters/hook-job-codec.ts';
import { UnstorableError } from '../domain/errors.ts';
import type { Delivery } from '../domain/hook-event.ts';
import type { DeadReason, DeliveryLedger, RecordedDelivery } from '../ports/delivery-ledger.ts';
import type { ConsumedBatch, UnreadableItem } from '../ports/hook-queue.ts';
import type { QuarantinedText, QuarantineStore } from '../ports/quarantine-store.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';
import type { Metrics } from '../runtime/metrics.ts';

export interface DeadLetterDeps {
  readonly ledger: Pick<DeliveryLedger, 'markDead'>;
  readonly quarantine: Pick<QuarantineStore, 'add'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'deliveriesDead' | 'textsQuarantined'>;
}

/**
 * Makes a delivery a dead letter, or sets it aside where the ledger will not take even that. False when it could not be
 * stored now: then it must not be dropped yet.
 */
export function deadLetter(
  deps: DeadLetterDeps,
  jobId: string,
  delivery: Delivery,
  reason: DeadReason,
): Promise<boolean> {
  const text = serializeHookJob([{ type: 'delivery', delivery }]);
  return markDeadOrQuarantine(deps, delivery, reason, { jobId, id: `${jobId}:${delivery.eventId}`, text });
}

/** The same for everything in a batch that cannot be read. */
export async function deadLetterUnreadable(deps: DeadLetterDeps, batch: ConsumedBatch): Promise<boolean> {
  const { jobId, unreadable } = batch;
  for (const [index, { text, delivery }] of unreadable.entries()) {
    const remains: QuarantineEntry = { jobId, id: `${jobId}:${index}`, text };
    const isKept =
      delivery === null
        ? await quarantine(deps, remains)
        : await markDeadOrQuarantine(deps, toRecordedDelivery(delivery, deps.clock), 'invalid-delivery', remains);
    if (!isKept) return false;
  }
  return true;
}

/** What is kept of it where it cannot be a dead letter. */
interface QuarantineEntry extends QuarantinedText {
  readonly jobId: string;
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
  reason: DeadReason,
  remains: QuarantineEntry,
): Promise<boolean> {
  const line = { jobId: remains.jobId, eventId: delivery.eventId, integrationId: delivery.integrationId };
  try {
    await deps.ledger.markDead(delivery, reason);
  } catch (err) {
    deps.logger.warn({ ...line, err }, 'delivery.dead_letter_failed');
    return err instanceof UnstorableError ? quarantine(deps, remains) : false;
  }
  deps.metrics.deliveriesDead.inc({ reason });
  deps.logger.error({ ...line, reason }, 'delivery.dead');
  return true;
}

async function quarantine(deps: DeadLetterDeps, { jobId, id, text }: QuarantineEntry): Promise<boolean> {
  try {
    await deps.quarantine.add({ id, text });
  } catch (err) {
    deps.logger.warn({ jobId, quarantineId: id, err }, 'queue.quarantine_failed');
    return false;
  }
  deps.metrics.textsQuarantined.inc();
  deps.logger.error({ jobId, quarantineId: id }, 'queue.text_quarantined');
  return true;
}
