import { applyHooks } from '../../domain/effect.ts';
import { StoreRefusedError } from '../../domain/errors.ts';
import type { Delivery } from '../../domain/hook-event.ts';
import type { QueueItem } from '../../domain/queue-item.ts';
import type { DeliveryLedger } from '../../ports/delivery-ledger.ts';
import type { RunRegister } from '../../ports/run-register.ts';
import type { ClaimedWidget, WidgetChange, WidgetEffects } from '../../ports/widget-effects.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { createPublishOutbox, PublishableWidget } from '../events/publish-outbox.ts';

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
    }
  /** A run with a higher number works on one of the widgets: run again under a new number. */
  | { readonly status: 'refused'; readonly run: number }
  /** The store will not take one of the deliveries. None of this run's effects that it refused took place. */
  | { readonly status: 'store-refused'; readonly run: number; readonly error: StoreRefusedError };

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

    // Number first: before anything is read, no run with a lower number can write these widgets any more.
    const claim = await deps.effects.claim(run, widgetIdsOf(items));
    if (claim.refused.length > 0) return { status: 'refused', run };

    let effects: { loose: Delivery[]; widgets: PublishableWidget[]; duplicates: number } | null;
    try {
      effects = await carryOut(deps, run, claim.claimed, deliveries);
    } catch (error) {
      if (error instanceof StoreRefusedError) return { status: 'store-refused', run, error };
      throw error;
    }
    if (effects === null) return { status: 'refused', run };

    const isStillMine = () => !signal.aborted && deps.clock.monotonicMs() - startedAtMs < maxRunMs;
    const published = await deps.publishOutbox({ run, lastPosition, ...effects, isStillMine });
    const repeatedInside = items.filter((item) => item.type === 'delivery').length - deliveries.length;
    return { status: 'published', run, ...published, duplicates: effects.duplicates + repeatedInside };
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
  const taken = deliveries.length === 0 ? { duplicates: [] } : await deps.ledger.take(deliveries);
  const dropped = new Set(taken.duplicates);
  const known = new Map(claimed.map((each) => [each.widget.id, each]));
  const mine = deliveries.filter((delivery) => !dropped.has(delivery.eventId));
  const loose = mine.filter((delivery) => delivery.widgetId === null || !known.has(delivery.widgetId));
  const { changes, widgets } = effectsOn(claimed, mine);
  if (changes.length > 0) {
    const { refused } = await deps.effects.apply(run, changes);
    if (refused.length > 0) return null;
  }
  return { loose, widgets, duplicates: dropped.size };
}

function effectsOn(claimed: readonly ClaimedWidget[], deliveries: readonly Delivery[]) {
  const byWidget = Map.groupBy(deliveries, (delivery) => delivery.widgetId);
  const changes: WidgetChange[] = [];
  const widgets: PublishableWidget[] = [];
  for (const { widget, outbox } of claimed) {
    const applied = new Set(outbox.map((entry) => entry.eventId));
    const fresh = (byWidget.get(widget.id) ?? []).filter((delivery) => !applied.has(delivery.eventId));
    const effect = applyHooks(widget, fresh);
    const last = effect.entries.at(-1);
    if (last !== undefined) {
      changes.push({ widgetId: widget.id, fromVersion: widget.version, after: last.after, entries: effect.entries });
    }
    widgets.push({ widget: effect.widget, entries: [...outbox, ...effect.entries] });
  }
  return { changes, widgets };
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
