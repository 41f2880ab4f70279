import { applyHooks } from '../../domain/effect.ts';
import type { Delivery } from '../../domain/hook-event.ts';
import type { OutboxEntry } from '../../domain/outbox-entry.ts';
import type { Widget } from '../../domain/widget.ts';
import type { ClaimedWidget, WidgetChange, WidgetEffects } from '../../ports/widget-effects.ts';
import type { PublishableWidget } from '../events/publish-outbox.ts';

export interface ApplyResult {
  /** Every claimed widget as it is now, with its whole outbox. */
  readonly widgets: readonly PublishableWidget[];
  /** What the store takes no effect of: not even alone. */
  readonly unstorable: readonly Delivery[];
}

/** A widget on the way through its deliveries; what is not taken together is halved, and the halves go in order. */
interface Progress {
  widget: Widget;
  readonly entries: OutboxEntry[];
  pieces: (readonly Delivery[])[];
}

/**
 * Applies the deliveries to their widgets, all widgets together, each widget's deliveries in their order. A delivery
 * that is in its widget's outbox has taken effect already. Null when a run with a higher number got in between.
 */
export async function applyToWidgets(
  effects: Pick<WidgetEffects, 'apply'>,
  run: number,
  claimed: readonly ClaimedWidget[],
  deliveries: readonly Delivery[],
): Promise<ApplyResult | null> {
  const byWidget = Map.groupBy(deliveries, (delivery) => delivery.widgetId);
  const all = claimed.map((each) => toProgress(each, byWidget.get(each.widget.id) ?? []));
  const unstorable: Delivery[] = [];
  for (;;) {
    const steps = all.flatMap((progress) => nextStep(progress) ?? []);
    if (steps.length === 0) break;
    const changes = steps.map(({ change }) => change);
    const outcome = await effects.apply(run, changes);
    if (outcome.superseded.length > 0) return null;
    for (const step of steps) {
      if (outcome.unstorable.includes(step.change.widgetId)) unstorable.push(...splitOrSurrender(step.progress));
      else advance(step);
    }
  }
  return { widgets: all.map(({ widget, entries }) => ({ widget, entries })), unstorable };
}

function toProgress({ widget, outbox }: ClaimedWidget, deliveries: readonly Delivery[]): Progress {
  const applied = new Set(outbox.map((entry) => entry.eventId));
  const fresh = deliveries.filter((delivery) => !applied.has(delivery.eventId));
  return { widget, entries: [...outbox], pieces: fresh.length === 0 ? [] : [fresh] };
}

interface Step {
  readonly progress: Progress;
  readonly change: WidgetChange;
  /** The widget afterwards. */
  readonly widget: Widget;
}

/** Null when the widget is through. */
function nextStep(progress: Progress): Step | null {
  const [piece] = progress.pieces;
  if (piece === undefined) return null;
  const { widget, entries } = applyHooks(progress.widget, piece);
  const { id: widgetId, version: fromVersion } = progress.widget;
  const last = entries.at(-1);
  if (last === undefined) return null;
  return { progress, change: { widgetId, fromVersion, after: last.after, entries }, widget };
}

function advance({ progress, change, widget }: Step): void {
  progress.widget = widget;
  progress.entries.push(...change.entries);
  progress.pieces.shift();
}

/** Halves what was not taken, or gives back the one delivery that was not taken alone. */
function splitOrSurrender(progress: Progress): readonly Delivery[] {
  const piece = progress.pieces.shift() ?? [];
  if (piece.length <= 1) return piece;
  const middle = Math.ceil(piece.length / 2);
  progress.pieces.unshift(piece.slice(0, middle), piece.slice(middle));
  return [];
}
