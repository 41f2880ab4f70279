import { UnavailableError } from '../../domain/errors.ts';
import type { Delivery } from '../../domain/hook-event.ts';
import type { LogPosition } from '../../domain/log-position.ts';
import type { OutboxEntry } from '../../domain/outbox-entry.ts';
import { isCovered } from '../../domain/stream-start.ts';
import type { Widget } from '../../domain/widget.ts';
import { toEventWithoutWidget, toWidgetEvent } from '../../domain/widget-event.ts';
import type { DeliveryLedger } from '../../ports/delivery-ledger.ts';
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
  /** The position that came with the run's number. */
  readonly lastPosition: ComparablePosition | null;
  readonly widgets: readonly PublishableWidget[];
  /** Hooks without a known widget. */
  readonly withoutWidget: readonly Delivery[];
  /** False once the run must not append any more. */
  readonly mayAppend: () => boolean;
}

/**
 * Carries what a run found in the outboxes into the event log: append, record the position, mark the ledger, pull the
 * outboxes, and let the guards of what is now settled expire. In this order: whatever a crash leaves undone is done
 * again by the next run, and the guards make the repetition harmless.
 */
export function makePublishOutbox(deps: PublishOutboxDeps) {
  return async (publication: Publication): Promise<{ appended: number; startedNewEpoch: boolean }> => {
    const { run, widgets, withoutWidget } = publication;
    const appends = [...widgets.flatMap(toAppends), ...withoutWidget.map(toAppendWithoutWidget)];
    if (appends.length === 0) return { appended: 0, startedNewEpoch: false };

    const expected = latestOf(publication.lastPosition, await deps.runs.lastPosition());
    if (!publication.mayAppend()) throw new UnavailableError('the run was ended before it appended');
    const { positions, last, startedNewEpoch } = await deps.eventLog.append(run, expected, appends);
    await recordLogEnd(deps, last, expected);
    await deps.ledger.markPublished(toLedgerRows(publication, appends, positions), deps.clock.now());
    const settled = await emptyOutboxes(deps, run, widgets);
    // A widget that was this run's at the pull no higher one has claimed. Who has taken a hook without a widget meanwhile
    // nobody tells, but whoever did had a number before it was marked.
    const latest = withoutWidget.length === 0 ? run : (await deps.runs.startRun()).run;
    await deps.eventLog.expireMarks(
      [...settled, ...withoutWidget.map((delivery) => toEventMark(delivery.eventId))],
      latest,
    );
    return { appended: positions.filter((position) => position !== null).length, startedNewEpoch };
  };
}

/**
 * Remembers the log's end, over the position that the append was checked against. Where another run has recorded
 * meanwhile, the log may have come back as it was before in between: it must know that position too, and still hold
 * what was appended here. Otherwise throws `UnavailableError`: then nothing is marked, and the next run tells it again.
 */
async function recordLogEnd(
  { runs, eventLog }: Pick<PublishOutboxDeps, 'runs' | 'eventLog'>,
  last: ComparablePosition,
  expected: ComparablePosition | null,
): Promise<void> {
  let known = expected;
  while (!(await runs.recordPosition(last, known))) {
    known = await runs.lastPosition();
    const held = await Promise.all([last, known].map((each) => each === null || logStillCovers(eventLog, each)));
    if (held.includes(false)) throw new UnavailableError('the log lost events while a run appended to it');
    if (known?.epoch === last.epoch && known.seq >= last.seq) return;
  }
}

/**
 * Whether the log still knows exactly this position. One that was trimmed since is not told from one that was lost: then
 * the next run tells it again, and the log, if it ever had it, knows that.
 */
async function logStillCovers(eventLog: Pick<EventLog, 'inspect'>, position: LogPosition): Promise<boolean> {
  const known = await eventLog.inspect(position);
  return known !== null && isCovered(position, known.extent, known.contains);
}

function toAppends({ widget, entries }: PublishableWidget): LogAppend[] {
  return entries.map((entry) => ({
    event: toWidgetEvent(widget, entry),
    mark: { kind: 'version', widgetId: widget.id, version: entry.after.version },
  }));
}

function toAppendWithoutWidget(delivery: Delivery): LogAppend {
  return { event: toEventWithoutWidget(delivery), mark: toEventMark(delivery.eventId) };
}

function toEventMark(eventId: string): DedupeMark {
  return { kind: 'event', eventId };
}

/** The ledger knows hooks only: a creation over the API has no row. */
function toLedgerRows(
  { widgets, withoutWidget }: Publication,
  appends: readonly LogAppend[],
  positions: readonly (LogPosition | null)[],
) {
  const hookIds = new Set(withoutWidget.map((delivery) => delivery.eventId));
  for (const { entries } of widgets) {
    for (const entry of entries) if (entry.integrationId !== null) hookIds.add(entry.eventId);
  }
  return appends
    .map(({ event }, index) => ({ eventId: event.eventId, position: positions[index] ?? null }))
    .filter((row) => hookIds.has(row.eventId));
}

/** Empties the outboxes of what was read; returns the guards of the widgets where this run still had its claim. */
async function emptyOutboxes(
  deps: Pick<PublishOutboxDeps, 'outboxes'>,
  run: number,
  widgets: readonly PublishableWidget[],
): Promise<DedupeMark[]> {
  const published = widgets.flatMap(({ widget, entries }) => {
    const last = entries.at(-1);
    return last === undefined ? [] : [{ widgetId: widget.id, version: last.after.version }];
  });
  if (published.length === 0) return [];
  const { superseded } = await deps.outboxes.removePublished(run, published);
  const kept = new Set(superseded);
  return published.filter(({ widgetId }) => !kept.has(widgetId)).map((each) => ({ kind: 'version', ...each }));
}

function latestOf(a: ComparablePosition | null, b: ComparablePosition | null): ComparablePosition | null {
  if (a === null || b === null) return a ?? b;
  return a.epochRun > b.epochRun || (a.epochRun === b.epochRun && a.seq > b.seq) ? a : b;
}
