import type { Delivery } from '../../domain/delivery.ts';
import { applyHooks } from '../../domain/effect.ts';
import type { OutboxEntry } from '../../domain/outbox-entry.ts';
import type { Widget } from '../../domain/widget.ts';
import type { UnstorableDelivery } from '../../ports/unstorable-item.ts';
import type { ClaimedWidget, WidgetChange, WidgetEffects } from '../../ports/widget-effects.ts';
import type { PublishableWidget } from '../events/publish-outbox.ts';

export interface ApplyResult {
  /** Every claimed widget after its deliveries, with its whole outbox. */
  readonly widgets: readonly PublishableWidget[];
  /** Deliveries whose effect the store will never accept, not even alone. */
  readonly unstorable: readonly UnstorableDelivery[];
}

interface WidgetProgress {
  /** The widget after the chunks that are written. */
  widget: Widget;
  /** Its outbox after the chunks that are written. */
  readonly entries: OutboxEntry[];
  /** The deliveries that are not written yet, in order. Each chunk becomes one write. */
  chunks: (readonly Delivery[])[];
}

/**
 * Applies the deliveries to their widgets: one write per widget, all widgets in one call. The deliveries of a widget
 * take effect in the given order. A delivery that is in its widget's outbox already had its effect and is skipped.
 *
 * If the store will never accept a write, its deliveries are halved until each unstorable one is alone: at most about
 * 2 log2(n) more calls for each of them.
 *
 * Returns null if a run with a higher number has claimed one of the widgets since.
 */
export async function applyToWidgets(
  effects: Pick<WidgetEffects, 'apply'>,
  run: number,
  claimed: readonly ClaimedWidget[],
  deliveries: readonly Delivery[],
): Promise<ApplyResult | null> {
  const byWidgetId = Map.groupBy(deliveries, (delivery) => delivery.widgetId);
  const progresses = claimed.map((each) => startProgress(each, byWidgetId.get(each.widget.id) ?? []));
  const unstorable: UnstorableDelivery[] = [];
  for (;;) {
    const writes = progresses.flatMap((progress) => planWrite(progress) ?? []);
    if (writes.length === 0) break;
    const outcome = await effects.apply(
      run,
      writes.map(({ change }) => change),
    );
    if (outcome.superseded.length > 0) return null;
    const causes = new Map(outcome.unstorable.map(({ id, cause }) => [id, cause]));
    for (const write of writes) {
      const cause = causes.get(write.change.widgetId);
      if (cause === undefined) recordWrite(write);
      else unstorable.push(...halveOrRemoveChunk(write.progress).map((delivery) => ({ delivery, cause })));
    }
  }
  return { widgets: progresses.map(({ widget, entries }) => ({ widget, entries })), unstorable };
}

function startProgress({ widget, outbox }: ClaimedWidget, deliveries: readonly Delivery[]): WidgetProgress {
  const applied = new Set(outbox.map((entry) => entry.eventId));
  const unapplied = deliveries.filter((delivery) => !applied.has(delivery.eventId));
  return { widget, entries: [...outbox], chunks: unapplied.length === 0 ? [] : [unapplied] };
}

/** A planned write of a widget's first chunk. */
interface PlannedWrite {
  readonly progress: WidgetProgress;
  readonly change: WidgetChange;
  /** The widget after the write. */
  readonly widget: Widget;
}

/** Returns null when the widget has no chunk left. */
function planWrite(progress: WidgetProgress): PlannedWrite | null {
  const [chunk] = progress.chunks;
  if (chunk === undefined) return null;
  const { widget, entries } = applyHooks(progress.widget, chunk);
  const { id: widgetId, version: fromVersion } = progress.widget;
  const newest = entries.at(-1);
  if (newest === undefined) return null;
  return { progress, change: { widgetId, fromVersion, after: newest.after, entries }, widget };
}

function recordWrite({ progress, change, widget }: PlannedWrite): void {
  progress.widget = widget;
  progress.entries.push(...change.entries);
  progress.chunks.shift();
}

/** Halves the first chunk. If it is a single delivery, removes it instead and returns it: that one is unstorable. */
function halveOrRemoveChunk(progress: WidgetProgress): readonly Delivery[] {
  const chunk = progress.chunks.shift() ?? [];
  if (chunk.length <= 1) return chunk;
  const middle = Math.ceil(chunk.length / 2);
  progress.chunks.unshift(chunk.slice(0, middle), chunk.slice(middle));
  return [];
}
