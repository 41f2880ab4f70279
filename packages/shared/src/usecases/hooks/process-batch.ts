import { UnavailableError, UnstorableError } from '../../domain/errors.ts';
import type { Delivery } from '../../domain/hook-event.ts';
import type { QueueItem } from '../../domain/queue-item.ts';
import type { DeliveryLedger } from '../../ports/delivery-ledger.ts';
import type { RunRegistry } from '../../ports/run-registry.ts';
import type { ClaimedWidget, WidgetEffects } from '../../ports/widget-effects.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { makePublishOutbox } from '../events/publish-outbox.ts';
import { applyToWidgets } from './apply-to-widgets.ts';

export interface ProcessBatchDeps {
  readonly runs: Pick<RunRegistry, 'startRun'>;
  readonly effects: WidgetEffects;
  readonly ledger: Pick<DeliveryLedger, 'register'>;
  readonly publishOutbox: ReturnType<typeof makePublishOutbox>;
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
      readonly startedNewEpoch: boolean;
      /** What a store will never take, not even alone: it took no effect, and is to be given up. */
      readonly unstorable: readonly Delivery[];
    }
  /** A run with a higher number works on one of the widgets: run again under a new number. */
  | { readonly status: 'superseded'; readonly run: number }
  /** A store refuses something that concerns one item or several; which, is not known. */
  | { readonly status: 'unstorable'; readonly run: number; readonly error: UnstorableError }
  /** Something else went wrong before anything was published: a fault of ours, or of the items. */
  | { readonly status: 'not-applied'; readonly run: number; readonly error: Error };

/**
 * One run of a batch, from the hooks to the event log. It is safe to run again after a crash between any two steps,
 * to run twice at once, and to meet its hooks again in another batch; docs/data-path.md tells why.
 *
 * Throws `UnavailableError` when a store did not answer: then run again. Stops with the same error before it appends
 * once `signal` is aborted.
 */
export function makeProcessBatch(deps: ProcessBatchDeps) {
  return async (items: readonly QueueItem[], signal: AbortSignal): Promise<BatchOutcome> => {
    const startedAtMs = deps.clock.monotonicMs();
    const deliveries = dropRepeats(items);
    const { run, lastPosition } = await deps.runs.startRun();

    let effects: Awaited<ReturnType<typeof applyDeliveries>>;
    try {
      // Number first: before anything is read, no run with a lower number can write these widgets any more.
      const claim = await deps.effects.claim(run, collectWidgetIds(items));
      effects = claim.superseded.length > 0 ? null : await applyDeliveries(deps, run, claim.claimed, deliveries);
    } catch (error) {
      if (error instanceof UnstorableError) return { status: 'unstorable', run, error };
      if (error instanceof UnavailableError || !(error instanceof Error)) throw error;
      return { status: 'not-applied', run, error };
    }
    if (effects === null) return { status: 'superseded', run };

    const mayAppend = () => !signal.aborted && deps.clock.monotonicMs() - startedAtMs < maxRunMs;
    const { loose: withoutWidget, widgets, unstorable } = effects;
    const published = await deps.publishOutbox({ run, lastPosition, widgets, withoutWidget, mayAppend });
    const repeatedInside = items.filter((item) => item.type === 'delivery').length - deliveries.length;
    return { status: 'published', run, ...published, duplicates: effects.duplicates + repeatedInside, unstorable };
  };
}

/** A guard in the event log may expire an hour after it was settled: no run may be so old when it appends. */
const maxRunMs = 10 * 60_000;

/** Ledger and effect. Null when a run with a higher number got in between. */
async function applyDeliveries(
  deps: Pick<ProcessBatchDeps, 'effects' | 'ledger'>,
  run: number,
  claimed: readonly ClaimedWidget[],
  deliveries: readonly Delivery[],
) {
  const taken = deliveries.length === 0 ? { duplicates: [], unstorable: [] } : await deps.ledger.register(deliveries);
  const unfit = new Set(taken.unstorable);
  const dropped = new Set([...taken.duplicates, ...taken.unstorable]);
  const mine = deliveries.filter((delivery) => !dropped.has(delivery.eventId));
  const known = new Set(claimed.map((each) => each.widget.id));
  const loose = mine.filter((delivery) => delivery.widgetId === null || !known.has(delivery.widgetId));
  const applied = await applyToWidgets(deps.effects, run, claimed, mine);
  if (applied === null) return null;
  const { widgets } = applied;
  const unstorable = [...deliveries.filter((delivery) => unfit.has(delivery.eventId)), ...applied.unstorable];
  return { loose, widgets, duplicates: taken.duplicates.length, unstorable };
}

/** The batch's deliveries without repetitions inside it; a redrive wins over a plain repetition. */
function dropRepeats(items: readonly QueueItem[]): Delivery[] {
  const byEvent = new Map<string, Delivery>();
  for (const item of items) {
    if (item.type !== 'delivery') continue;
    const known = byEvent.get(item.delivery.eventId);
    if (known === undefined || (item.delivery.redrive && !known.redrive))
      byEvent.set(item.delivery.eventId, item.delivery);
  }
  return [...byEvent.values()];
}

function collectWidgetIds(items: readonly QueueItem[]): string[] {
  const ids = new Set<string>();
  for (const item of items) {
    const id = item.type === 'nudge' ? item.widgetId : item.delivery.widgetId;
    if (id !== null) ids.add(id);
  }
  return [...ids];
}
