import { AsyncLocalStorage } from 'node:async_hooks';
import type { Delivery } from '../../domain/delivery.ts';
import { UnavailableError } from '../../domain/errors.ts';
import type { LogPosition } from '../../domain/log-position.ts';
import type { OutboxEntry } from '../../domain/outbox-entry.ts';
import type { TraceContext } from '../../domain/trace-context.ts';
import type { Widget } from '../../domain/widget.ts';
import { toEventWithoutWidget, toWidgetEvent, type WidgetEvent } from '../../domain/widget-event.ts';
import type { Backend } from '../../ports/backend.ts';
import type { DeliveryEffect, PublishedDelivery } from '../../ports/delivery-ledger.ts';
import type { DedupeMark, LogAppend } from '../../ports/event-log.ts';
import type { PublishedThrough } from '../../ports/widget-store.ts';
import type { Clock } from '../../runtime/clock.ts';
import { type ExpiringMarks, RecordedPosition } from './run-state.ts';

/** What the runs of one process use. */
export interface RunDeps extends Pick<Backend, 'runs' | 'effects' | 'ledger' | 'outboxes' | 'eventLog'> {
  readonly clock: Clock;
  /** Called when step 7 or 8 has failed after `publish` resolved. The scanner then finds the outboxes. */
  readonly onUnfinished?: (error: unknown) => void;
}

/** A widget with its whole outbox, oldest entry first. */
export interface PublishableWidget {
  readonly widget: Widget;
  readonly entries: readonly OutboxEntry[];
}

export interface Publication {
  readonly run: number;
  readonly widgets: readonly PublishableWidget[];
  /** Deliveries that name no known widget. */
  readonly withoutWidget: readonly Delivery[];
  /** The trace contexts of the hooks in this batch, by event id. An outbox entry of an earlier batch has none. */
  readonly traceContexts: ReadonlyMap<string, TraceContext>;
  /** Returns false if the run must not append any more: it is aborted, or older than `runLimits.maxAgeMs`. */
  readonly mayAppend: () => boolean;
}

export interface PublishOutcome {
  /** One time per event that this run appended. */
  readonly appendedReceivedAt: readonly Date[];
  readonly startedNewEpoch: boolean;
}

/** Limits of one append. A single run may exceed them, because its outboxes are appended as a whole. */
const appendLimits = { events: 512, bytes: 1_048_576 } as const;
/** How many groups may be at steps 7 and 8 before the next append waits. It bounds the memory while a store is slow. */
const finishingMax = 4;

/** A run that waits until its events are published. */
interface Waiting {
  readonly publication: Publication;
  readonly appends: readonly LogAppend[];
  readonly resolve: (outcome: PublishOutcome) => void;
  readonly reject: (error: unknown) => void;
  /** True after its group failed unexpectedly. Then it is published alone, so that it fails no other run. */
  readonly isAlone: boolean;
  /** Calls a function in the async context of the run, so that store calls become spans of its trace. */
  readonly runInContext: ReturnType<typeof AsyncLocalStorage.snapshot>;
}

/** A run whose events are in the log. */
interface Appended extends Waiting {
  /** One per event. Null: the log already held it, so it was skipped. */
  readonly positions: readonly (LogPosition | null)[];
  readonly outcome: PublishOutcome;
}

/**
 * Publishes the outboxes that runs have read, and their deliveries without a widget: steps 5 to 9 of docs/data-path.md,
 * in this order. After a crash between two steps the next run, of the job or of the scanner's nudge, repeats them all.
 * That is safe.
 *
 * 5. Append to the event log, oldest outbox entry first. The log's dedupe marks skip events that it already holds.
 * 6. Record the log's last position outside the log. It reveals a later loss of events.
 * 7. Mark the ledger rows as published. This comes before step 8: a delivery that is neither in its outbox nor marked
 *    would be applied a second time.
 * 8. Remove the published entries from the outboxes.
 * 9. Let the dedupe marks expire, later: see `ExpiringMarks`.
 *
 * If all deliveries of a run have a widget, `publish` resolves after step 6, and the partition goes on while steps 7
 * and 8 follow. If these fail, the scanner finds the outboxes, and another run repeats them. A delivery without a
 * widget is in no outbox, so nothing would find it. A run with such a delivery therefore resolves after step 8.
 *
 * The appends of one process do not overlap. While one is under way, the runs of other partitions wait, and the next
 * append takes all of them. So under load many runs share the calls of each step.
 */
export class OutboxPublisher {
  readonly #deps: RunDeps;
  readonly #expiringMarks: Pick<ExpiringMarks, 'add'>;
  readonly #recorded: RecordedPosition;
  /** The groups that are at steps 7 and 8, each with the ids of its widgets. */
  readonly #finishing = new Map<Promise<void>, ReadonlySet<string>>();
  #waiting: Waiting[] = [];
  /** The loop that appends the waiting runs. Null: no run waits. */
  #appending: Promise<void> | null = null;

  constructor(deps: RunDeps, expiringMarks: Pick<ExpiringMarks, 'add'>) {
    this.#deps = deps;
    this.#expiringMarks = expiringMarks;
    this.#recorded = new RecordedPosition(deps.runs, deps.eventLog, deps.clock);
  }

  /**
   * Waits until no earlier run is at steps 7 and 8 with one of these widgets. Otherwise the next run would load entries
   * that are already published, and append them again.
   */
  async waitForEarlierRuns(widgetIds: readonly string[]): Promise<void> {
    const earlier = [...this.#finishing].filter(([, ids]) => widgetIds.some((id) => ids.has(id)));
    if (earlier.length > 0) await Promise.all(earlier.map(([finished]) => finished));
  }

  /** Waits until steps 7 and 8 of all earlier runs have ended or failed. */
  async waitForAllRuns(): Promise<void> {
    while (this.#appending !== null || this.#finishing.size > 0) {
      await Promise.all([this.#appending, ...this.#finishing.keys()]);
    }
  }

  /** Reads the recorded position in the background, because a run will soon call `publish`. */
  prepare(): void {
    this.#recorded.prepare();
  }

  /**
   * Publishes the outboxes of a run: steps 5 to 8. Throws `UnavailableError` if a store did not answer, if `mayAppend`
   * returns false, if the log rejects the run as stale, or if the log lost events during the append.
   */
  async publish(publication: Publication): Promise<PublishOutcome> {
    const appends = toAllAppends(publication);
    if (appends.length === 0) return { appendedReceivedAt: [], startedNewEpoch: false };
    return new Promise((resolve, reject) => {
      const runInContext = AsyncLocalStorage.snapshot();
      this.#waiting.push({ publication, appends, resolve, reject, isAlone: false, runInContext });
      this.#startAppending();
    });
  }

  #startAppending(): void {
    this.#appending ??= this.#appendAll().finally(() => {
      this.#appending = null;
      // A run may have come since the last group was taken.
      if (this.#waiting.length > 0) this.#startAppending();
    });
  }

  async #appendAll(): Promise<void> {
    for (let group = this.#takeGroup(); group.length > 0; group = this.#takeGroup()) {
      while (this.#finishing.size >= finishingMax) await Promise.race(this.#finishing.keys());
      await group[0]?.runInContext(() => this.#appendGroup(group));
    }
  }

  /** Takes the runs that waited longest. Returns none if none waits. */
  #takeGroup(): Waiting[] {
    const group: Waiting[] = [];
    let events = 0;
    let bytes = 0;
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      events += next.appends.length;
      bytes += next.appends.reduce((sum, { event }) => sum + event.json.length, 0);
      const isFull = events > appendLimits.events || bytes > appendLimits.bytes;
      if (group.length > 0 && (next.isAlone || isFull)) break;
      this.#waiting.shift();
      group.push(next);
      if (next.isAlone) break;
    }
    return group;
  }

  /** Steps 5 and 6. Steps 7 and 8 continue while the next group appends. Does not throw. */
  async #appendGroup(group: readonly Waiting[]): Promise<void> {
    try {
      const expected = await this.#recorded.get();
      const appendable = group.filter(({ publication }) => publication.mayAppend());
      const stopped = new UnavailableError('the run stopped before its append: aborted or too old');
      for (const waiting of group) if (!appendable.includes(waiting)) waiting.reject(stopped);
      if (appendable.length === 0) return;
      // The lowest number: if the log must reject one run of the group, it rejects the whole group.
      const run = Math.min(...appendable.map(({ publication }) => publication.run));
      const appends = appendable.flatMap((waiting) => waiting.appends);
      const { positions, last, startedNewEpoch } = await this.#deps.eventLog.append(run, expected, appends);
      await this.#recorded.record(last, expected);
      const appended = toAppended(appendable, positions, startedNewEpoch);
      for (const each of appended) if (isFindable(each)) each.resolve(each.outcome);
      this.#finishInBackground(appended);
    } catch (error) {
      this.#fail(group, error);
    }
  }

  #finishInBackground(group: readonly Appended[]): void {
    const widgetIds = group.flatMap(({ publication }) => publication.widgets.map(({ widget }) => widget.id));
    const finishing = this.#finish(group)
      .catch((error) => {
        if (group.some(isFindable)) this.#deps.onUnfinished?.(error);
        this.#fail(group, error);
      })
      .finally(() => this.#finishing.delete(finishing));
    this.#finishing.set(finishing, new Set(widgetIds));
  }

  /** Steps 7 and 8. Then resolves the runs that waited for them. */
  async #finish(group: readonly Appended[]): Promise<void> {
    const { ledger, outboxes, clock } = this.#deps;
    const publications = group.map(({ publication }) => publication);
    await ledger.markPublished(toPublishedDeliveries(group), clock.now());
    const published = publications.flatMap(({ widgets }) => toPublishedThrough(widgets));
    if (published.length > 0) await outboxes.removePublished(published);
    const withoutWidget = publications.flatMap((each) => each.withoutWidget);
    this.#expiringMarks.add([
      ...published.map(toWatermark),
      ...withoutWidget.map(({ eventId }) => toEventMark(eventId)),
    ]);
    for (const { resolve, outcome } of group) resolve(outcome);
  }

  /**
   * Rejects the pending runs of the group. After an unexpected error, it publishes each run alone instead, so that only
   * the run at fault fails.
   */
  #fail(group: readonly Waiting[], error: unknown): void {
    if (group.length === 1 || error instanceof UnavailableError) {
      for (const { reject } of group) reject(error);
      return;
    }
    this.#waiting.unshift(...group.map((waiting) => ({ ...waiting, isAlone: true })));
    this.#startAppending();
  }
}

/** Whether the scanner finds the run's deliveries if steps 7 and 8 never happen: they are all in outboxes. */
function isFindable({ publication }: Waiting): boolean {
  return publication.withoutWidget.length === 0;
}

function toAppended(
  group: readonly Waiting[],
  positions: readonly (LogPosition | null)[],
  startedNewEpoch: boolean,
): Appended[] {
  let at = 0;
  return group.map((waiting) => {
    const own = positions.slice(at, at + waiting.appends.length);
    at += waiting.appends.length;
    const appendedReceivedAt = listAppendedReceivedAt(waiting.publication, own);
    return { ...waiting, positions: own, outcome: { appendedReceivedAt, startedNewEpoch } };
  });
}

type TraceContexts = Publication['traceContexts'];

function toAllAppends({ widgets, withoutWidget, traceContexts }: Publication): LogAppend[] {
  return [
    ...widgets.flatMap((each) => toAppends(each, traceContexts)),
    ...withoutWidget.map((delivery) => toAppendWithoutWidget(delivery, traceContexts)),
  ];
}

function toAppends({ widget, entries }: PublishableWidget, traceContexts: TraceContexts): LogAppend[] {
  return entries.map((entry) => ({
    event: addTraceContext(toWidgetEvent(widget, entry), traceContexts),
    mark: toWatermark({ widgetId: widget.id, version: entry.after.version }),
  }));
}

function toAppendWithoutWidget(delivery: Delivery, traceContexts: TraceContexts): LogAppend {
  const event = addTraceContext(toEventWithoutWidget(delivery), traceContexts);
  return { event, mark: toEventMark(delivery.eventId) };
}

function addTraceContext(event: WidgetEvent, traceContexts: TraceContexts): WidgetEvent {
  const traceContext = traceContexts.get(event.eventId);
  return traceContext === undefined ? event : { ...event, traceContext };
}

function toEventMark(eventId: string): DedupeMark {
  return { kind: 'event', eventId };
}

function toWatermark({ widgetId, version }: PublishedThrough): DedupeMark {
  return { kind: 'version', widgetId, version };
}

/**
 * Returns the ledger rows to mark. Only hooks have a ledger row; a creation over the API has none. A delivery that
 * several runs publish is returned once, with its position if one of them appended it.
 */
function toPublishedDeliveries(group: readonly Appended[]): PublishedDelivery[] {
  const deliveries = new Map<string, PublishedDelivery>();
  for (const { publication, appends, positions } of group) {
    const effects = listEffects(publication);
    for (const [index, { event }] of appends.entries()) {
      const { eventId } = event;
      const effect = effects.get(eventId);
      const position = positions[index] ?? deliveries.get(eventId)?.position ?? null;
      if (effect !== undefined) deliveries.set(eventId, { eventId, position, effect });
    }
  }
  return [...deliveries.values()];
}

/** By event id. Null: the delivery has no widget. */
function listEffects({ widgets, withoutWidget }: Publication): Map<string, DeliveryEffect | null> {
  const effects = new Map<string, DeliveryEffect | null>(withoutWidget.map(({ eventId }) => [eventId, null]));
  for (const { entries } of widgets) {
    for (const entry of entries) if (entry.integrationId !== null) effects.set(entry.eventId, toEffect(entry));
  }
  return effects;
}

function toEffect({ after, stateBefore, late }: OutboxEntry): DeliveryEffect {
  return { version: after.version, state: after.state, stateChanged: after.state !== stateBefore, late };
}

/** The entries that the run read. They are all in the log by now. */
function toPublishedThrough(widgets: readonly PublishableWidget[]): PublishedThrough[] {
  return widgets.flatMap(({ widget, entries }) => {
    const newest = entries.at(-1);
    return newest === undefined ? [] : [{ widgetId: widget.id, version: newest.after.version }];
  });
}

function listAppendedReceivedAt(
  { widgets, withoutWidget }: Publication,
  positions: readonly (LogPosition | null)[],
): Date[] {
  const receivedAt = [
    ...widgets.flatMap(({ entries }) => entries.map((entry) => entry.receivedAt)),
    ...withoutWidget.map((delivery) => delivery.receivedAt),
  ];
  return receivedAt.filter((_, index) => positions[index] !== null);
}
