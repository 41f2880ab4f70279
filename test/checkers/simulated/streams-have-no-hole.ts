import { formatPosition, parsePosition } from '@widget-service/shared/domain/sse-id.ts';
import type { ClientRecord, History, StreamRecord } from '../../simulation/world/history.ts';
import type { World } from '../../simulation/world/world.ts';

/** Returns whether `version` may come immediately after `before` in an epoch. */
export type MayFollow = (epoch: string, widgetId: string, before: number, version: number) => boolean;

/**
 * The versions of a widget rise by exactly one, except for versions that were published in another epoch and lost with
 * it: the change of the epoch announces that loss. A version that the epoch itself lost would be a hole that nothing
 * announces.
 */
export function makeMayFollow({ lostEvents }: History): MayFollow {
  const lostIn = new Map<string, Set<string>>();
  for (const { record } of lostEvents) {
    const key = `${record.event.widgetId} ${parseVersion(record.event.json)}`;
    lostIn.set(key, (lostIn.get(key) ?? new Set()).add(record.epoch));
  }
  const isLostElsewhere = (epoch: string, key: string) => [...(lostIn.get(key) ?? [])].some((lost) => lost !== epoch);
  return (epoch, widgetId, before, version) => {
    for (let between = before + 1; between < version; between += 1) {
      if (!isLostElsewhere(epoch, `${widgetId} ${between}`)) return false;
    }
    return version > before;
  };
}

/** Returns null if the event concerns no known widget. */
export function parseVersion(json: string): number | null {
  const { data } = JSON.parse(json) as { data: { widget: { version: number } | null } };
  return data.widget?.version ?? null;
}

/**
 * C2, C3, C5: a client that resumes misses nothing, or `stream.gap` announces it. A gap is announced only where events
 * are missing. On one stream `seq` and versions rise by exactly one, and nothing comes twice.
 */
export function streamsHaveNoHole({ history }: World): string[] {
  const eventIds = new Map(history.log.map((record) => [formatPosition(record), record.event.eventId]));
  for (const { record } of history.lostEvents) eventIds.set(formatPosition(record), record.event.eventId);
  const mayFollow = makeMayFollow(history);
  return history.clients.flatMap((client) => [
    ...client.streams.flatMap((stream) => [
      ...(client.isFiltered ? checkRising(stream) : checkDensity(stream, mayFollow)),
      ...checkAgainstLog(stream, eventIds),
      ...checkResume(stream, history),
    ]),
    ...(client.isFiltered ? [] : [...findUnannouncedLosses(client, history), ...findMissedEvents(client, history)]),
  ]);
}

function checkDensity({ cursor, events }: StreamRecord, mayFollow: MayFollow): string[] {
  const violations: string[] = [];
  const versions = new Map<string, number>();
  let before = cursor === null ? null : parsePosition(cursor);
  for (const { epoch, ms, seq, widgetId, version } of events) {
    if (before !== null && (epoch !== before.epoch || seq !== before.seq + 1)) {
      violations.push(`C5: a stream goes from ${formatPosition(before)} to ${formatPosition({ epoch, ms, seq })}`);
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

function checkRising({ events }: StreamRecord): string[] {
  const isRising = events.every(({ seq }, index) => index === 0 || seq > (events[index - 1]?.seq ?? 0));
  return isRising ? [] : ['C3: on a filtered stream the numbers do not rise'];
}

function checkAgainstLog({ events }: StreamRecord, eventIds: ReadonlyMap<string, string>): string[] {
  const ids = new Set(events.map(({ eventId }) => eventId));
  const violations = ids.size === events.length ? [] : ['C2: an event came twice on one stream'];
  const foreign = events.find((event) => eventIds.get(formatPosition(event)) !== event.eventId);
  return foreign === undefined
    ? violations
    : [...violations, `C2: the log holds another event at ${formatPosition(foreign)}`];
}

function checkResume({ requested, cursor, gap }: StreamRecord, history: History): string[] {
  if (requested === null || cursor === null) return [];
  if (gap === null) return cursor === requested ? [] : [`C5: requested ${requested}, got ${cursor} without a gap`];
  const requestedPosition = parsePosition(requested);
  if (requestedPosition === null || gap.reason === 'malformed') return [`C5: the position ${requested} is malformed`];
  if ((gap.reason === 'epoch-changed') !== (requestedPosition.epoch !== parsePosition(cursor)?.epoch)) {
    return [`C5: from ${requested} to ${cursor} the gap is ${gap.reason}`];
  }
  if (history.lossCount > 0) return [];
  // Nothing was lost, so only retention can have dropped events.
  const isTrimmed = (history.trimmedThrough.get(requestedPosition.epoch) ?? 0) > requestedPosition.seq;
  return gap.reason === 'trimmed' && isTrimmed
    ? []
    : [`C5: a gap at ${requested} (${gap.reason}), and nothing is missing`];
}

/**
 * An event that the log lost, and that a client should have received, is received again or announced, or its hook is
 * lost, too.
 */
function findUnannouncedLosses({ streams }: ClientRecord, { lostEvents, lostHooks }: History): string[] {
  const [first] = streams.filter(({ cursor }) => cursor !== null);
  if (first === undefined) return [];
  const received = new Set(streams.flatMap(({ events }) => events.map(({ eventId }) => eventId)));
  const lastGapAtMs = Math.max(-1, ...streams.map(({ gap }) => gap?.atMs ?? -1));
  const start = parsePosition(first.cursor ?? '');
  return lostEvents
    .filter(({ record, atMs }) => !received.has(record.event.eventId) && lastGapAtMs < atMs)
    .filter(({ record }) => start?.epoch === record.epoch && isAfter(record, start))
    .filter(({ record }) => !lostHooks.has(record.event.eventId))
    .map(({ record }) => `C5: the loss of ${formatPosition(record)} was not announced`);
}

/** After a loss the log gives numbers again, but no times. */
function isAfter(record: { ms: number; seq: number }, start: { ms: number; seq: number }): boolean {
  return record.ms > start.ms || (record.ms === start.ms && record.seq > start.seq);
}

/**
 * A client has received every event that was appended after its first position and after its last gap. It need not
 * receive events of an epoch that had ended before its stream began.
 */
function findMissedEvents({ streams }: ClientRecord, history: History): string[] {
  const [first] = streams.filter(({ cursor }) => cursor !== null);
  if (first === undefined) return [];
  const received = new Set(streams.flatMap(({ events }) => events.map(formatPosition)));
  const lastGapAtMs = Math.max(0, ...streams.map(({ gap }) => gap?.atMs ?? 0));
  const start = parsePosition(first.cursor ?? '');
  return history.log
    .filter((record) => history.appendedAtMs(record) > lastGapAtMs && !received.has(formatPosition(record)))
    .filter((record) =>
      record.epoch === start?.epoch ? isAfter(record, start) : history.appendedAtMs(record) > first.begunAtMs,
    )
    .map((record) => `C5: ${formatPosition(record)} did not reach a client, and no gap announced it`);
}
