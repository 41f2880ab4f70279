import type { Delivery } from '../../domain/delivery.ts';
import { applyHooks } from '../../domain/effect.ts';
import type { UnstorableDelivery } from '../../domain/errors.ts';
import { UnavailableError, UnstorableError } from '../../domain/errors.ts';
import type { OutboxEntry } from '../../domain/outbox-entry.ts';
import type { QueueItem } from '../../domain/queue-item.ts';
import type { TraceContext } from '../../domain/trace-context.ts';
import type { Widget } from '../../domain/widget.ts';
import { runLimits } from '../../ports/run-registry.ts';
import type { LoadedWidget, WidgetChange, WidgetEffects } from '../../ports/widget-store.ts';
import { OutboxPublisher, type PublishableWidget, type RunDeps } from '../events/publish-outbox.ts';
import { ExpiringMarks, RunNumbers } from '../events/run-state.ts';

export type BatchOutcome =
  | {
      readonly status: 'published';
      readonly run: number;
      /** When the hooks and creations of the appended events were received, one time per event. */
      readonly appendedReceivedAt: readonly Date[];
      /** How many deliveries this run dropped as duplicates. */
      readonly duplicates: number;
      readonly startedNewEpoch: boolean;
      /** The caller dead-letters them. */
      readonly unstorable: readonly UnstorableDelivery[];
    }
  /** Another run has written one of the widgets after this run had read it. Process the batch again. */
  | { readonly status: 'superseded'; readonly run: number }
  /** A store rejects some item of the batch for good (for example: too large). The error does not say which one. */
  | { readonly status: 'unstorable'; readonly run: number; readonly error: UnstorableError }
  /** An unexpected error before the append: a bug in this service, or a bad item. */
  | { readonly status: 'not-applied'; readonly run: number; readonly error: Error };

/**
 * Runs batches, from the hooks to the event log. A process has one: its runs share run numbers, and the calls that
 * publish their events.
 */
export class BatchProcessor {
  readonly #deps: RunDeps;
  readonly #numbers: RunNumbers;
  readonly #expiringMarks: ExpiringMarks;
  readonly #publisher: OutboxPublisher;

  constructor(deps: RunDeps) {
    this.#deps = deps;
    this.#numbers = new RunNumbers(deps.runs, deps.clock);
    this.#expiringMarks = new ExpiringMarks(this.#numbers, deps.eventLog);
    this.#publisher = new OutboxPublisher(deps, this.#expiringMarks);
  }

  /**
   * Runs one batch. docs/data-path.md explains the steps:
   *
   * 1. Number: get a run number. It must be taken before step 2: step 9 relies on it.
   * 2. Load: read the batch's widgets with their outboxes.
   * 3. Ledger: register the deliveries and drop duplicates (`DeliveryLedger.register`; the event id makes two hooks
   *    equal: hook-event-id.ts). This must come after the load. An earlier run marks a delivery as published before it
   *    removes it from the outbox, so the run sees it in one of the two.
   * 4. Effect: write each widget with its new outbox entries, if it still has the version of step 2. So this fails if
   *    another run has applied a hook since then.
   * 5. `OutboxPublisher` (publish-outbox.ts) takes the other steps: append (5), record the position (6), mark the
   *    ledger rows (7), empty the outboxes (8), and later let the dedupe marks expire (9).
   *
   * Safe to repeat: the caller may run a batch again after a crash between any two steps, or twice at the same time. A
   * delivery may be in several batches.
   *
   * Throws `UnavailableError` if a store did not answer, or, before the append, if `signal` is aborted or the run is
   * too old. Then the caller runs the batch again.
   */
  async process(items: readonly QueueItem[], signal: AbortSignal): Promise<BatchOutcome> {
    const deliveries = dropRepeats(items);
    const widgetIds = collectWidgetIds(items);
    await this.#publisher.waitForEarlierRuns(widgetIds);
    if (signal.aborted) throw new UnavailableError('the run stopped before it began: aborted');
    const { run, takenAtMs } = await this.#numbers.get();

    let applied: Awaited<ReturnType<typeof applyDeliveries>>;
    try {
      const loaded = widgetIds.length === 0 ? [] : await this.#deps.effects.load(widgetIds);
      applied = await applyDeliveries(this.#deps, this.#publisher, loaded, deliveries);
    } catch (error) {
      if (error instanceof UnstorableError) return { status: 'unstorable', run, error };
      if (error instanceof UnavailableError || !(error instanceof Error)) throw error;
      return { status: 'not-applied', run, error };
    }
    if (applied === null) return { status: 'superseded', run };

    // An older run stops before its append: the dedupe marks of its events may have expired.
    const mayAppend = () => !signal.aborted && this.#deps.clock.monotonicMs() - takenAtMs < runLimits.maxAgeMs;
    const { widgets, withoutWidget, unstorable } = applied;
    const traceContexts = collectTraceContexts(items);
    const publication = { run, widgets, withoutWidget, traceContexts, mayAppend };
    const published = await this.#publisher.publish(publication).catch((error) => {
      this.#numbers.forget(run);
      throw error;
    });
    const repeats = items.filter((item) => item.type === 'delivery').length - deliveries.length;
    return { status: 'published', run, ...published, duplicates: applied.duplicates + repeats, unstorable };
  }

  /** Lets the dedupe marks of earlier runs expire: call it every few seconds. Throws `UnavailableError`. */
  expireMarks(): Promise<void> {
    return this.#expiringMarks.expire();
  }

  /** Resolves when steps 7 and 8 of the earlier runs have ended or failed: call it before the process ends. */
  waitForRuns(): Promise<void> {
    return this.#publisher.waitForAllRuns();
  }
}

/** Runs step 3 (ledger) and step 4 (effect). Returns null if another run has written a widget since the load. */
async function applyDeliveries(
  { effects, ledger }: Pick<RunDeps, 'effects' | 'ledger'>,
  publisher: Pick<OutboxPublisher, 'prepare'>,
  loaded: readonly LoadedWidget[],
  deliveries: readonly Delivery[],
) {
  const noDeliveries = { duplicates: [], unstorable: [] };
  const registered = deliveries.length === 0 ? noDeliveries : await ledger.register(deliveries);
  const causes = new Map(registered.unstorable.map(({ id, cause }) => [id, cause]));
  const droppedIds = new Set([...registered.duplicates, ...causes.keys()]);
  const accepted = deliveries.filter(({ eventId }) => !droppedIds.has(eventId));

  const knownWidgetIds = new Set(loaded.map(({ widget }) => widget.id));
  const withoutWidget = accepted.filter(({ widgetId }) => widgetId === null || !knownWidgetIds.has(widgetId));
  publisher.prepare();
  const applied = await applyToWidgets(effects, loaded, accepted);
  if (applied === null) return null;

  const unregistered = deliveries.flatMap((delivery): UnstorableDelivery[] => {
    const cause = causes.get(delivery.eventId);
    return cause === undefined ? [] : [{ delivery, cause }];
  });
  const unstorable = [...unregistered, ...applied.unstorable];
  return { widgets: applied.widgets, withoutWidget, duplicates: registered.duplicates.length, unstorable };
}

interface ApplyResult {
  /** Every loaded widget with its deliveries applied, and its whole outbox. */
  readonly widgets: readonly PublishableWidget[];
  /** Deliveries whose effect the store rejects for good, even if it is written alone. */
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
 * take effect in the given order. Skips a delivery that is in its widget's outbox: it has taken effect.
 *
 * If the store rejects a write for good, its deliveries are written in halves, until each unstorable one is alone. This
 * takes at most about 2 log2(n) more calls for each unstorable delivery.
 *
 * Returns null if another run has written one of the widgets since the load.
 */
async function applyToWidgets(
  effects: Pick<WidgetEffects, 'apply'>,
  loaded: readonly LoadedWidget[],
  deliveries: readonly Delivery[],
): Promise<ApplyResult | null> {
  const byWidgetId = Map.groupBy(deliveries, (delivery) => delivery.widgetId);
  const progresses = loaded.map((each) => startProgress(each, byWidgetId.get(each.widget.id) ?? []));
  const unstorable: UnstorableDelivery[] = [];
  for (;;) {
    const writes = progresses.flatMap((progress) => planWrite(progress) ?? []);
    if (writes.length === 0) break;
    const outcome = await effects.apply(writes.map(({ change }) => change));
    if (outcome.superseded) return null;
    const causes = new Map(outcome.unstorable.map(({ id, cause }) => [id, cause]));
    for (const write of writes) {
      const cause = causes.get(write.change.widgetId);
      if (cause === undefined) recordWrite(write);
      else unstorable.push(...halveOrRemoveChunk(write.progress).map((delivery) => ({ delivery, cause })));
    }
  }
  return { widgets: progresses.map(({ widget, entries }) => ({ widget, entries })), unstorable };
}

function startProgress({ widget, outbox }: LoadedWidget, deliveries: readonly Delivery[]): WidgetProgress {
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

/** Splits the first chunk into halves. If it is a single delivery, removes and returns it: it is unstorable. */
function halveOrRemoveChunk(progress: WidgetProgress): readonly Delivery[] {
  const chunk = progress.chunks.shift() ?? [];
  if (chunk.length <= 1) return chunk;
  const middle = Math.ceil(chunk.length / 2);
  progress.chunks.unshift(chunk.slice(0, middle), chunk.slice(middle));
  return [];
}

/** Keeps one delivery per event id: the first one, or the first one that is marked `redrive`. */
function dropRepeats(items: readonly QueueItem[]): Delivery[] {
  const byEventId = new Map<string, Delivery>();
  for (const item of items) {
    if (item.type !== 'delivery') continue;
    const { delivery } = item;
    const earlier = byEventId.get(delivery.eventId);
    if (earlier === undefined || (delivery.redrive && !earlier.redrive)) byEventId.set(delivery.eventId, delivery);
  }
  return [...byEventId.values()];
}

/** By event id. Usually empty, because only a sample of the hooks is traced. */
function collectTraceContexts(items: readonly QueueItem[]): Map<string, TraceContext> {
  const contexts = new Map<string, TraceContext>();
  for (const item of items) {
    if (item.type === 'delivery' && item.traceContext !== undefined) {
      contexts.set(item.delivery.eventId, item.traceContext);
    }
  }
  return contexts;
}

function collectWidgetIds(items: readonly QueueItem[]): string[] {
  const ids = new Set<string>();
  for (const item of items) {
    const id = item.type === 'nudge' ? item.widgetId : item.delivery.widgetId;
    if (id !== null) ids.add(id);
  }
  return [...ids];
}
