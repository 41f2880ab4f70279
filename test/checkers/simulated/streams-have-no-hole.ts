import { parsePosition } from '@widget-service/shared/domain/log-position.ts';
import type { ClientRecord, History, StreamRecord } from '../../simulation/world/history.ts';
import type { World } from '../../simulation/world/world.ts';
import { createMayFollow, type MayFollow } from './lost-versions.ts';

/**
 * A client that comes back misses nothing, or is told so by `stream.gap`; and is told so only where something is
 * missing. On one stream numbers and versions are dense, and nothing comes twice.
 */
export function streamsHaveNoHole({ history }: World): string[] {
  const told = new Map(history.log.map((record) => [placeOf(record), record.event.eventId]));
  for (const { record } of history.lostEvents) told.set(placeOf(record), record.event.eventId);
  const mayFollow = createMayFollow(history);
  return history.clients.flatMap((client) => [
    ...client.streams.flatMap((stream) => [
      ...(client.isFiltered ? risesOn(stream) : isDenseOn(stream, mayFollow)),
      ...saysWhatIsInTheLog(stream, told),
      ...resumesRightly(stream, history),
    ]),
    ...(client.isFiltered ? [] : [...lossesAreAnnounced(client, history), ...whatIsKeptIsTold(client, history)]),
  ]);
}

function placeOf({ epoch, ms, seq }: { epoch: string; ms: number; seq: number }): string {
  return `${epoch}.${ms}.${seq}`;
}

function isDenseOn({ cursor, events }: StreamRecord, mayFollow: MayFollow): string[] {
  const violations: string[] = [];
  const versions = new Map<string, number>();
  let before = cursor === null ? null : parsePosition(cursor);
  for (const { epoch, ms, seq, widgetId, version } of events) {
    if (before !== null && (epoch !== before.epoch || seq !== before.seq + 1)) {
      violations.push(`C5: a stream goes from ${placeOf(before)} to ${epoch}.${ms}.${seq}`);
    }
    before = { epoch, ms, seq };
    if (widgetId === null || version === null) continue;
    const last = versions.get(widgetId);
    if (last !== undefined && !mayFollow(epoch, widgetId, last, version)) {
      violations.push(`C3: on a stream ${widgetId} goes from version ${last} to ${version}`);
    }
    versions.set(widgetId, version);
  }
  return violations;
}

function risesOn({ events }: StreamRecord): string[] {
  const isRising = events.every(({ seq }, index) => index === 0 || seq > (events[index - 1]?.seq ?? 0));
  return isRising ? [] : ['C3: on a filtered stream the numbers do not rise'];
}

function saysWhatIsInTheLog({ events }: StreamRecord, told: ReadonlyMap<string, string>): string[] {
  const ids = new Set(events.map(({ eventId }) => eventId));
  const violations = ids.size === events.length ? [] : ['C2: an event came twice on one stream'];
  const foreign = events.find((event) => told.get(placeOf(event)) !== event.eventId);
  return foreign === undefined ? violations : [...violations, `C2: ${placeOf(foreign)} is not what the log says there`];
}

function resumesRightly({ requested, cursor, gap }: StreamRecord, history: History): string[] {
  if (requested === null || cursor === null) return [];
  if (gap === null) return cursor === requested ? [] : [`C5: asked for ${requested}, got ${cursor} without a gap`];
  const asked = parsePosition(requested);
  if (asked === null || gap.reason === 'malformed') return [`C5: the position ${requested} is malformed`];
  if ((gap.reason === 'epoch-changed') !== (asked.epoch !== parsePosition(cursor)?.epoch)) {
    return [`C5: from ${requested} to ${cursor} the gap is ${gap.reason}`];
  }
  if (history.lossCount > 0) return [];
  // Nothing was lost, so only retention can have taken something.
  const isTrimmed = (history.trimmedThrough.get(asked.epoch) ?? 0) > asked.seq;
  return gap.reason === 'trimmed' && isTrimmed
    ? []
    : [`C5: a gap at ${requested} (${gap.reason}), and nothing is missing`];
}

/** What a client should have got, and was lost with the log, came again or was announced; or its hook is lost as well. */
function lossesAreAnnounced({ streams }: ClientRecord, { lostEvents, lostHooks }: History): string[] {
  const [first] = streams.filter(({ cursor }) => cursor !== null);
  if (first === undefined) return [];
  const received = new Set(streams.flatMap(({ events }) => events.map(({ eventId }) => eventId)));
  const lastGapAtMs = Math.max(-1, ...streams.map(({ gap }) => gap?.atMs ?? -1));
  const start = parsePosition(first.cursor ?? '');
  return lostEvents
    .filter(({ record, atMs }) => !received.has(record.event.eventId) && lastGapAtMs < atMs)
    .filter(({ record }) => start?.epoch === record.epoch && isAfter(record, start))
    .filter(({ record }) => !lostHooks.has(record.event.eventId))
    .map(({ record }) => `C5: the loss of ${placeOf(record)} was not announced`);
}

/** After a loss numbers are given again; times are not. */
function isAfter(record: { ms: number; seq: number }, start: { ms: number; seq: number }): boolean {
  return record.ms > start.ms || (record.ms === start.ms && record.seq > start.seq);
}

/**
 * What was appended after the position that a client was given first, and after the last gap that it was told of, has
 * reached it. Of an epoch that was over by then it is owed nothing.
 */
function whatIsKeptIsTold({ streams }: ClientRecord, history: History): string[] {
  const [first] = streams.filter(({ cursor }) => cursor !== null);
  if (first === undefined) return [];
  const received = new Set(streams.flatMap(({ events }) => events.map(placeOf)));
  const lastGapAtMs = Math.max(0, ...streams.map(({ gap }) => gap?.atMs ?? 0));
  const start = parsePosition(first.cursor ?? '');
  return history.log
    .filter((record) => history.appendedAtMs(record) > lastGapAtMs && !received.has(placeOf(record)))
    .filter((record) =>
      record.epoch === start?.epoch ? isAfter(record, start) : history.appendedAtMs(record) > first.begunAtMs,
    )
    .map((record) => `C5: ${placeOf(record)} did not reach a client, who was not told so`);
}
