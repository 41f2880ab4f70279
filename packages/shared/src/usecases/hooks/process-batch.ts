import { StoreRefusedError, UnavailableError } from '../../domain/errors.ts';
import type { Delivery } from '../../domain/hook-event.ts';
import type { QueueItem } from '../../domain/queue-item.ts';
import type { DeliveryLedger } from '../../ports/delivery-ledger.ts';
import type { RunRegister } from '../../ports/run-register.ts';
import type { ClaimedWidget, WidgetEffects } from '../../ports/widget-effects.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { createPublishOutbox } from '../events/publish-outbox.ts';
import { applyToWidgets } from './apply-to-widgets.ts';

export interface ProcessBatchDeps {
  readonly runs: Pick<RunRegister, 'next'>;
  readonly effects: WidgetEffects;
  readonly ledger: Pick<DeliveryLedger, 'take'>;
  readonly publishOutbox: ReturnType<typeof createPublishOutbox>;
  readonly clock: Clock;
}

export type BatchOutcome =
  | {
      readonly status: 'published';
      readonly run: number;
      /** Events appended by this run. */
      readonly appended: number;
      /** Deliveries dropped as repetitions. */
      readonly duplicates: number;
      readonly beganEpoch: boolean;
      /** What a store will never take, not even alone: it took no effect, and is to be given up. */
      readonly rejected: readonly Delivery[];
    }
  /** A run with a higher number works on one of the widgets: run again under a new number. */
  | { readonly status: 'refused'; readonly run: number }
  /** A store refuses something that concerns one item or several; which, is not known. */
  | { readonly status: 'store-refused'; readonly run: number; readonly error: StoreRefusedError }
  /** Something else went wrong before anything was published: a fault of ours, or of the items. */
  | { readonly status: 'not-carried-out'; readonly run: number; readonly error: Error };

/**
 * One run of a batch, from the hooks to the event log. It is safe to run again after a crash between any two steps,
 * to run twice at once, and to meet its hooks again in another batch; docs/data-path.md tells why.
 *
 * Throws `UnavailableError` when a store did not answer: then run again. Stops with the same error before it appends
 * once `signal` is aborted.
 */
export function createProcessBatch(deps: ProcessBatchDeps) {
  return async (items: readonly QueueItem[], signal: AbortSignal): Promise<BatchOutcome> => {
    const startedAtMs = deps.clock.monotonicMs();
    const deliveries = distinct(items);
    const { run, lastPosition } = await deps.runs.next();

    let effects: Awaited<ReturnType<typeof carryOut>>;
    try {
      // Number first: before anything is read, no run with a lower number can write these widgets any more.
      const claim = await deps.effects.claim(run, widgetIdsOf(items));
      effects = claim.refused.length > 0 ? null : await carryOut(deps, run, claim.claimed, deliveries);
    } catch (error) {
      if (error instanceof StoreRefusedError) return { status: 'store-refused', run, error };
      if (error instanceof UnavailableError || !(error instanceof Error)) throw error;
      return { status: 'not-carried-out', run, error };
    }
    if (effects === null) return { status: 'refused', run };

    const isStillMine = () => !signal.aborted && deps.clock.monotonicMs() - startedAtMs < maxRunMs;
    const { loose, widgets, rejected } = effects;
    const published = await deps.publishOutbox({ run, lastPosition, widgets, loose, isStillMine });
    const repeatedInside = items.filter((item) => item.type === 'delivery').length - deliveries.length;
    return { status: 'published', run, ...published, duplicates: effects.duplicates + repeatedInside, rejected };
  };
}

/** A guard in the event log may expire an hour after it was settled: no run may be so old when it appends. */
const maxRunMs = 10 * 60_000;

/** Ledger and effect. Null when a run with a higher number got in between. */
async function carryOut(
  deps: Pick<ProcessBatchDeps, 'effects' | 'ledger'>,
  run: number,
  claimed: readonly ClaimedWidget[],
  deliveries: readonly Delivery[],
) {
  const taken = deliveries.length === 0 ? { duplicates: [], rejected: [] } : await deps.ledger.take(deliveries);
  const unfit = new Set(taken.rejected);
  const dropped = new Set([...taken.duplicates, ...taken.rejected]);
  const mine = deliveries.filter((delivery) => !dropped.has(delivery.eventId));
  const known = new Set(claimed.map((each) => each.widget.id));
  const loose = mine.filter((delivery) => delivery.widgetId === null || !known.has(delivery.widgetId));
  const applied = await applyToWidgets(deps.effects, run, claimed, mine);
  if (applied === null) return null;
  const { widgets } = applied;
  const rejected = [...deliveries.filter((delivery) => unfit.has(delivery.eventId)), ...applied.rejected];
  return { loose, widgets, duplicates: taken.duplicates.length, rejected };
}

/** The batch's deliveries without repetitions inside it; a redrive wins over a plain repetition. */
function distinct(items: readonly QueueItem[]): Delivery[] {
  const byEvent = new Map<string, Delivery>();
  for (const item of items) {
    if (item.type !== 'delivery') continue;
    const known = byEvent.get(item.delivery.eventId);
    if (known === undefined || (item.delivery.redrive && !known.redrive))
      byEvent.set(item.delivery.eventId, item.delivery);
  }
  return [...byEvent.values()];
}

function widgetIdsOf(items: readonly QueueItem[]): string[] {
  const ids = new Set<string>();
  for (const item of items) {
    const id = item.type === 'nudge' ? item.widgetId : item.delivery.widgetId;
    if (id !== null) ids.add(id);
  }
  return [...ids];
}
