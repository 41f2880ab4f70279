import type { LogPosition } from '../../domain/cursor.ts';
import { UnavailableError } from '../../domain/errors.ts';
import type { Delivery } from '../../domain/hook-event.ts';
import type { OutboxEntry } from '../../domain/outbox-entry.ts';
import { isHeld } from '../../domain/stream-start.ts';
import type { Widget } from '../../domain/widget.ts';
import { eventOfEntry, eventWithoutWidget } from '../../domain/widget-event.ts';
import type { DeliveryLedger } from '../../ports/delivery-ledger.ts';
import type { AppendGuard, EventLog, LogAppend } from '../../ports/event-log.ts';
import type { NumberedPosition, RunRegister } from '../../ports/run-register.ts';
import type { WidgetOutbox } from '../../ports/widget-outbox.ts';
import type { Clock } from '../../runtime/clock.ts';

export interface PublishOutboxDeps {
  readonly runs: Pick<RunRegister, 'next' | 'lastPosition' | 'record'>;
  readonly eventLog: Pick<EventLog, 'append' | 'inspect' | 'settle'>;
  readonly ledger: Pick<DeliveryLedger, 'markPublished'>;
  readonly outboxes: Pick<WidgetOutbox, 'pull'>;
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
  readonly lastPosition: NumberedPosition | null;
  readonly widgets: readonly PublishableWidget[];
  /** Hooks without a known widget. */
  readonly loose: readonly Delivery[];
  /** False once the run must not append any more. */
  readonly isStillMine: () => boolean;
}

/**
 * Carries what a run found in the outboxes into the event log: append, record the position, mark the ledger, pull the
 * outboxes, and let the guards of what is now settled expire. In this order: whatever a crash leaves undone is done
 * again by the next run, and the guards make the repetition harmless.
 */
export function createPublishOutbox(deps: PublishOutboxDeps) {
  return async (publication: Publication): Promise<{ appended: number; beganEpoch: boolean }> => {
    const { run, widgets, loose } = publication;
    const appends = [...widgets.flatMap(appendsOf), ...loose.map(looseAppendOf)];
    if (appends.length === 0) return { appended: 0, beganEpoch: false };

    const expected = higherOf(publication.lastPosition, await deps.runs.lastPosition());
    if (!publication.isStillMine()) throw new UnavailableError('the run was ended before it appended');
    const { positions, last, beganEpoch } = await deps.eventLog.append(run, expected, appends);
    await record(deps, last, expected);
    await deps.ledger.markPublished(hookRows(publication, appends, positions), deps.clock.now());
    const settled = await pull(deps, run, widgets);
    // A widget that was this run's at the pull no higher one has claimed. Who has taken a hook without a widget meanwhile
    // nobody tells, but whoever did had a number before it was marked.
    const latest = loose.length === 0 ? run : (await deps.runs.next()).run;
    await deps.eventLog.settle([...settled, ...loose.map((delivery) => eventGuard(delivery.eventId))], latest);
    return { appended: positions.filter((position) => position !== null).length, beganEpoch };
  };
}

/**
 * Remembers the log's end, over the position that the append was checked against. Where another run has recorded
 * meanwhile, the log may have come back as it was before in between: it must know that position too, and still hold
 * what was appended here. Otherwise throws `UnavailableError`: then nothing is marked, and the next run tells it again.
 */
async function record(
  { runs, eventLog }: Pick<PublishOutboxDeps, 'runs' | 'eventLog'>,
  last: NumberedPosition,
  expected: NumberedPosition | null,
): Promise<void> {
  let known = expected;
  while (!(await runs.record(last, known))) {
    known = await runs.lastPosition();
    const held = await Promise.all([last, known].map((each) => each === null || stillHolds(eventLog, each)));
    if (held.includes(false)) throw new UnavailableError('the log lost events while a run appended to it');
    if (known?.epoch === last.epoch && known.seq >= last.seq) return;
  }
}

/**
 * Whether the log still knows exactly this position. One that was trimmed since is not told from one that was lost: then
 * the next run tells it again, and the log, if it ever had it, knows that.
 */
async function stillHolds(eventLog: Pick<EventLog, 'inspect'>, position: LogPosition): Promise<boolean> {
  const known = await eventLog.inspect(position);
  return known !== null && isHeld(position, known.extent, known.contains);
}

function appendsOf({ widget, entries }: PublishableWidget): LogAppend[] {
  return entries.map((entry) => ({
    event: eventOfEntry(widget, entry),
    guard: { kind: 'version', widgetId: widget.id, version: entry.after.version },
  }));
}

function looseAppendOf(delivery: Delivery): LogAppend {
  return { event: eventWithoutWidget(delivery), guard: eventGuard(delivery.eventId) };
}

function eventGuard(eventId: string): AppendGuard {
  return { kind: 'event', eventId };
}

/** The ledger knows hooks only: a creation over the API has no row. */
function hookRows(
  { widgets, loose }: Publication,
  appends: readonly LogAppend[],
  positions: readonly (LogPosition | null)[],
) {
  const hookIds = new Set(loose.map((delivery) => delivery.eventId));
  for (const { entries } of widgets) {
    for (const entry of entries) if (entry.integrationId !== null) hookIds.add(entry.eventId);
  }
  return appends
    .map(({ event }, index) => ({ eventId: event.eventId, position: positions[index] ?? null }))
    .filter((row) => hookIds.has(row.eventId));
}

/** Empties the outboxes of what was read; returns the guards of the widgets where this run still had its claim. */
async function pull(
  deps: Pick<PublishOutboxDeps, 'outboxes'>,
  run: number,
  widgets: readonly PublishableWidget[],
): Promise<AppendGuard[]> {
  const published = widgets.flatMap(({ widget, entries }) => {
    const last = entries.at(-1);
    return last === undefined ? [] : [{ widgetId: widget.id, version: last.after.version }];
  });
  if (published.length === 0) return [];
  const { refused } = await deps.outboxes.pull(run, published);
  const kept = new Set(refused);
  return published.filter(({ widgetId }) => !kept.has(widgetId)).map((each) => ({ kind: 'version', ...each }));
}

function higherOf(a: NumberedPosition | null, b: NumberedPosition | null): NumberedPosition | null {
  if (a === null || b === null) return a ?? b;
  return a.epochRun > b.epochRun || (a.epochRun === b.epochRun && a.seq > b.seq) ? a : b;
}
