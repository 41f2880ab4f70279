import { StoreRefusedError } from '../domain/errors.ts';
import type { Delivery } from '../domain/hook-event.ts';
import type { DeadReason, DeliveryLedger, RecordedDelivery } from '../ports/delivery-ledger.ts';
import { serializeHookJob, type UnreadableItem } from '../ports/hook-job.ts';
import type { ConsumedBatch } from '../ports/hook-queue.ts';
import type { SetAsideStore, SetAsideText } from '../ports/set-aside-store.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';
import type { Metrics } from '../runtime/metrics.ts';

export interface GiveUpDeps {
  readonly ledger: Pick<DeliveryLedger, 'markDead'>;
  readonly setAside: Pick<SetAsideStore, 'keep'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'deliveriesDead' | 'textsSetAside'>;
}

/**
 * Makes a delivery a dead letter, or sets it aside where the ledger will not take even that. False when it could not be
 * stored now: then it must not be dropped yet.
 */
export function giveUp(deps: GiveUpDeps, jobId: string, delivery: Delivery, reason: DeadReason): Promise<boolean> {
  const text = serializeHookJob([{ type: 'delivery', delivery }]);
  return bury(deps, delivery, reason, { jobId, id: `${jobId}:${delivery.eventId}`, text });
}

/** The same for everything in a batch that cannot be read. */
export async function giveUpUnreadable(deps: GiveUpDeps, batch: ConsumedBatch): Promise<boolean> {
  const { jobId, unreadable } = batch;
  for (const [index, { text, delivery }] of unreadable.entries()) {
    const remains: Remains = { jobId, id: `${jobId}:${index}`, text };
    const isKept =
      delivery === null
        ? await setAside(deps, remains)
        : await bury(deps, recorded(delivery, deps.clock), 'invalid-delivery', remains);
    if (!isKept) return false;
  }
  return true;
}

/** What is kept of it where it cannot be a dead letter. */
interface Remains extends SetAsideText {
  readonly jobId: string;
}

function recorded(delivery: NonNullable<UnreadableItem['delivery']>, clock: Pick<Clock, 'now'>): RecordedDelivery {
  return { ...delivery, receivedAt: delivery.receivedAt ?? clock.now() };
}

async function bury(
  deps: GiveUpDeps,
  delivery: RecordedDelivery,
  reason: DeadReason,
  remains: Remains,
): Promise<boolean> {
  const line = { jobId: remains.jobId, eventId: delivery.eventId, integrationId: delivery.integrationId };
  try {
    await deps.ledger.markDead(delivery, reason);
  } catch (err) {
    deps.logger.warn({ ...line, err }, 'delivery.give-up-failed');
    return err instanceof StoreRefusedError ? setAside(deps, remains) : false;
  }
  deps.metrics.deliveriesDead.inc({ reason });
  deps.logger.error({ ...line, reason }, 'delivery.dead');
  return true;
}

async function setAside(deps: GiveUpDeps, { jobId, id, text }: Remains): Promise<boolean> {
  try {
    await deps.setAside.keep({ id, text });
  } catch (err) {
    deps.logger.warn({ jobId, setAsideId: id, err }, 'queue.set-aside-failed');
    return false;
  }
  deps.metrics.textsSetAside.inc();
  deps.logger.error({ jobId, setAsideId: id }, 'queue.set-aside');
  return true;
}
