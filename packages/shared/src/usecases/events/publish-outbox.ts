import type { Delivery } from '../../domain/delivery.ts';
import { UnavailableError } from '../../domain/errors.ts';
import type { LogPosition } from '../../domain/log-position.ts';
import type { OutboxEntry } from '../../domain/outbox-entry.ts';
import { isCovered } from '../../domain/stream-start.ts';
import type { TraceContext } from '../../domain/trace-context.ts';
import type { Widget } from '../../domain/widget.ts';
import { toEventWithoutWidget, toWidgetEvent, type WidgetEvent } from '../../domain/widget-event.ts';
import type { DeliveryEffect, DeliveryLedger, PublishedDelivery } from '../../ports/delivery-ledger.ts';
import type { DedupeMark, EventLog, LogAppend } from '../../ports/event-log.ts';
import type { ComparablePosition, RunRegistry } from '../../ports/run-registry.ts';
import type { WidgetOutbox } from '../../ports/widget-outbox.ts';
import type { Clock } from '../../runtime/clock.ts';

export interface PublishOutboxDeps {
  readonly runs: Pick<RunRegistry, 'startRun' | 'lastPosition' | 'recordPosition'>;
  readonly eventLog: Pick<EventLog, 'append' | 'inspect' | 'expireMarks'>;
  readonly ledger: Pick<DeliveryLedger, 'markPublished'>;
  readonly outboxes: Pick<WidgetOutbox, 'removePublished'>;
  readonly clock: Clock;
}

/** A widget with its whole outbox, oldest entry first. */
export interface PublishableWidget {
  readonly widget: Widget;
  readonly entries: readonly OutboxEntry[];
}

export interface Publication {
  readonly run: number;
  /** The last recorded position, as of when the run took its number. */
  readonly lastPosition: ComparablePosition | null;
  readonly widgets: readonly PublishableWidget[];
  /** Deliveries that name no known widget. */
  readonly withoutWidget: readonly Delivery[];
  /** The spans that continue with the events, by event id. An event of an earlier batch has none. */
  readonly traceContexts: ReadonlyMap<string, TraceContext>;
  /** Returns false once the run is aborted, or older than `runLimits.maxAgeMs`. */
  readonly mayAppend: () => boolean;
}

export interface PublishOutcome {
  /** One time per event that this run appended. */
  readonly appendedReceivedAt: readonly Date[];
  readonly startedNewEpoch: boolean;
}

/**
 * Makes the function that publishes the outboxes that a run read, and its deliveries without a widget: steps 5 to 9 of
 * docs/data-path.md, in this order. After a crash between two steps the next run repeats them all, which is safe.
 *
 * 5. Append to the event log, oldest outbox entry first. The log's dedupe marks skip events that it already holds.
 * 6. Record the log's last position outside the log. It reveals a later loss of events.
 * 7. Mark the ledger rows as published. This comes before step 8: a delivery that is neither in its outbox nor marked
 *    would be applied a second time.
 * 8. Remove the published entries from the outboxes, where the fence is still this run's.
 * 9. Let the dedupe marks expire. The watermark of a widget expires only if step 8 removed its entries: then no run can
 *    append them again.
 *
 * Returns when the hooks and creations of the appended events were received, one time per event, and whether the log
 * started a new epoch. Throws `UnavailableError` when a store did not answer, when `mayAppend` returns false, when the
 * log rejects the run as stale, and when the log lost events during the append.
 */
export function makePublishOutbox(deps: PublishOutboxDeps) {
  return async (publication: Publication): Promise<PublishOutcome> => {
    const { run, widgets, withoutWidget, traceContexts } = publication;
    const appends = [
      ...widgets.flatMap((each) => toAppends(each, traceContexts)),
      ...withoutWidget.map((delivery) => toAppendWithoutWidget(delivery, traceContexts)),
    ];
    if (appends.length === 0) return { appendedReceivedAt: [], startedNewEpoch: false };

    // The later of the two. The second one is earlier only if MongoDB has lost writes in between. Then the position
    // that the run read at its start is the only evidence of what the log must hold.
    const expected = pickLatest(publication.lastPosition, await deps.runs.lastPosition());
    if (!publication.mayAppend()) throw new UnavailableError('the run stopped before its append: aborted or too old');
    const { positions, last, startedNewEpoch } = await deps.eventLog.append(run, expected, appends);
    await recordLogEnd(deps, last, expected);
    await deps.ledger.markPublished(toPublishedDeliveries(publication, appends, positions), deps.clock.now());
    const widgetMarks = await removeEntries(deps, run, widgets);
    const eventMarks = withoutWidget.map((delivery) => toEventMark(delivery.eventId));
    // The highest run that may still append these events. For widgets it is this run: step 8 proved that no higher run
    // had claimed them. A delivery without a widget has no fence. But a run appends it only if it found the ledger row
    // unpublished, so before step 7. Every such run has a lower number than one taken now.
    // `startRun` only takes a number here: nothing runs under it.
    const highestRun = withoutWidget.length === 0 ? run : (await deps.runs.startRun()).run;
    await deps.eventLog.expireMarks([...widgetMarks, ...eventMarks], highestRun);
    const receivedAt = [
      ...widgets.flatMap(({ entries }) => entries.map((entry) => entry.receivedAt)),
      ...withoutWidget.map((delivery) => delivery.receivedAt),
    ];
    return { appendedReceivedAt: receivedAt.filter((_, index) => positions[index] !== null), startedNewEpoch };
  };
}

/**
 * Records `last`, the log's end after the append. The append checked the log against `expected`: the log
 * was complete up to there, or the append started a new epoch. Either way `last` may replace `expected` as the recorded
 * position.
 *
 * If another run recorded a position meanwhile, the log may have been restored from an older copy between the two
 * appends. So the log must still cover both positions. If it does, the later one stays or becomes the recorded
 * position. If it does not, throws `UnavailableError`: no ledger row is marked, and the next run appends the events
 * again. See ADR 8.
 */
async function recordLogEnd(
  { runs, eventLog }: Pick<PublishOutboxDeps, 'runs' | 'eventLog'>,
  last: ComparablePosition,
  expected: ComparablePosition | null,
): Promise<void> {
  let recorded = expected;
  while (!(await runs.recordPosition(last, recorded))) {
    recorded = await runs.lastPosition();
    const covered = await Promise.all(
      [last, recorded].map((position) => position === null || logStillCovers(eventLog, position)),
    );
    if (covered.includes(false)) {
      throw new UnavailableError('the event log lost events while a run appended to it: the run starts again');
    }
    if (recorded?.epoch === last.epoch && recorded.seq >= last.seq) return;
  }
}

/**
 * Returns whether the log covers the position: it holds the event there, or ends exactly there. Also returns false for
 * a position that was trimmed since, which looks like a lost one. That is safe: the run starts again, and the dedupe
 * marks skip the events that the log had.
 */
async function logStillCovers(eventLog: Pick<EventLog, 'inspect'>, position: LogPosition): Promise<boolean> {
  const inspection = await eventLog.inspect(position);
  return inspection !== null && isCovered(position, inspection.extent, inspection.contains);
}

type TraceContexts = Publication['traceContexts'];

function toAppends({ widget, entries }: PublishableWidget, traceContexts: TraceContexts): LogAppend[] {
  return entries.map((entry) => ({
    event: addTraceContext(toWidgetEvent(widget, entry), traceContexts),
    mark: { kind: 'version', widgetId: widget.id, version: entry.after.version },
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

/** Only hooks have a ledger row. The event of a creation over the API has none: its `integrationId` is null. */
function toPublishedDeliveries(
  { widgets, withoutWidget }: Publication,
  appends: readonly LogAppend[],
  positions: readonly (LogPosition | null)[],
): PublishedDelivery[] {
  const effects = new Map<string, DeliveryEffect | null>(withoutWidget.map(({ eventId }) => [eventId, null]));
  for (const { entries } of widgets) {
    for (const entry of entries) if (entry.integrationId !== null) effects.set(entry.eventId, toEffect(entry));
  }
  return appends.flatMap(({ event: { eventId } }, index) => {
    const effect = effects.get(eventId);
    return effect === undefined ? [] : [{ eventId, position: positions[index] ?? null, effect }];
  });
}

function toEffect({ after, stateBefore, late }: OutboxEntry): DeliveryEffect {
  return { version: after.version, state: after.state, stateChanged: after.state !== stateBefore, late };
}

/**
 * Removes from the outboxes the entries that this run read. They are all in the log by now. Skips the widgets that a
 * higher run has claimed, and returns the watermarks of the others.
 */
async function removeEntries(
  deps: Pick<PublishOutboxDeps, 'outboxes'>,
  run: number,
  widgets: readonly PublishableWidget[],
): Promise<DedupeMark[]> {
  const published = widgets.flatMap(({ widget, entries }) => {
    const newest = entries.at(-1);
    return newest === undefined ? [] : [{ widgetId: widget.id, version: newest.after.version }];
  });
  if (published.length === 0) return [];
  const { superseded } = await deps.outboxes.removePublished(run, published);
  const supersededIds = new Set(superseded);
  return published
    .filter(({ widgetId }) => !supersededIds.has(widgetId))
    .map(({ widgetId, version }) => ({ kind: 'version', widgetId, version }));
}

function pickLatest(a: ComparablePosition | null, b: ComparablePosition | null): ComparablePosition | null {
  if (a === null || b === null) return a ?? b;
  return a.epochRun > b.epochRun || (a.epochRun === b.epochRun && a.seq > b.seq) ? a : b;
}
