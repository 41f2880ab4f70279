import { describe, expect, test } from 'vitest';
import { type Connection, findClosingReason, sweep, sweepIntervalMs } from './connection.ts';
import { Feed } from './feed.ts';
import { Ring } from './ring.ts';
import { anEntitlement } from './testing/fake-hub.ts';
import { openFakeSink, parsePositionSeqs } from './testing/fake-sink.ts';

const ring = new Ring({ frames: 10, bytes: 1_000 });

function aConnection(filter: Parameters<typeof anEntitlement>[0], validUntil: Date | null = null) {
  const sink = openFakeSink();
  const entitlement = anEntitlement(filter, { validUntil });
  const connection: Connection = {
    id: 'c',
    address: null,
    openedAtMs: 0,
    sink: sink.sink,
    entitlement,
    feed: new Feed(ring, 'key', entitlement.filter),
    epoch: 'e1',
    cursor: { ms: 1_000, seq: 0 },
    announcedSeq: 0,
    state: 'live',
    isBackpressured: false,
    isScheduled: false,
    wake: () => undefined,
    heartbeatAtMs: 0,
    endsAtMs: Infinity,
    lastSentBytes: 0,
    lastProgressAtMs: 0,
    onEnd: () => undefined,
  };
  return { sink, connection };
}

/**
 * Sweeps one connection for `totalMs` on a fake clock. Calls `beforeSweep` each time. Returns when and why it ended.
 */
function sweepFor(
  totalMs: number,
  heartbeatIntervalMs: number,
  beforeSweep: (nowMs: number) => void,
  connection: Connection,
  stallMs = Infinity,
) {
  const options = { heartbeatIntervalMs, stallMs };
  let nowMs = 0;
  const ended: [string, number][] = [];
  const clock = { now: () => new Date(nowMs), monotonicMs: () => nowMs };
  for (; nowMs <= totalMs; nowMs += sweepIntervalMs(heartbeatIntervalMs)) {
    beforeSweep(nowMs);
    sweep(ended.length > 0 ? [] : [connection], clock, options, (_, reason) => ended.push([reason, nowMs]));
  }
  return ended;
}

describe('sweep', () => {
  test.each([15_000, 3_600_000])(
    'announces the position of a filtered stream every minute when the heartbeat interval is %d ms',
    (heartbeatMs) => {
      const { sink, connection } = aConnection({ types: ['widget.created'] });
      const announcedAtMs: number[] = [];
      sweepFor(
        3_600_000,
        heartbeatMs,
        (nowMs) => {
          if (sink.writes.length > announcedAtMs.length) announcedAtMs.push(nowMs);
          connection.cursor = { ms: nowMs, seq: nowMs + 1 };
        },
        connection,
      );
      // The last sweep has no `beforeSweep` after it.
      if (sink.writes.length > announcedAtMs.length) announcedAtMs.push(3_600_000);
      expect(parsePositionSeqs(sink)).toHaveLength(announcedAtMs.length);
      const gapsMs = announcedAtMs.map((atMs, index) => atMs - (announcedAtMs[index - 1] ?? 0));
      expect(announcedAtMs.at(-1)).toBeGreaterThan(3_540_000);
      expect(Math.max(...gapsMs)).toBeLessThanOrEqual(60_000);
    },
  );

  test('does not shorten the heartbeat interval of an unfiltered stream', () => {
    const { sink, connection } = aConnection({});
    connection.heartbeatAtMs = 1_000_000;
    sweepFor(3_600_000, 1_000_000, () => undefined, connection);
    expect(sink.writes.length).toBeLessThanOrEqual(4);
  });

  test.each([
    ['keeps a client open that accepts a little at a time, even if its unsent bytes grow', 8_000, []],
    [
      'closes a client as slow that accepts nothing for the stall time while its unsent bytes grow',
      0,
      [['slow', 30_000]],
    ],
  ])('%s', (_, sentBytesPerSecond, ends) => {
    const { connection } = aConnection({});
    let nowMs = 0;
    const sink = {
      ...connection.sink,
      unsentBytes: () => 10_000 + nowMs,
      sentBytes: () => (nowMs / 1_000) * sentBytesPerSecond,
    };
    const setTime = (ms: number) => {
      nowMs = ms;
    };
    expect(sweepFor(100_000, 15_000, setTime, { ...connection, sink }, 30_000)).toEqual(ends);
  });

  test('keeps a client open that has accepted everything, however long it is sent nothing', () => {
    const { connection } = aConnection({});
    connection.heartbeatAtMs = Infinity;
    expect(sweepFor(100_000, 15_000, () => undefined, connection, 30_000)).toEqual([]);
  });

  test('ends a stream within one second after validUntil', () => {
    const { connection } = aConnection({}, new Date(90_500));
    const [end] = sweepFor(100_000, 15_000, () => undefined, connection);
    expect(end?.[0]).toBe('expired');
    expect(end?.[1]).toBeGreaterThanOrEqual(90_500);
    expect(end?.[1]).toBeLessThanOrEqual(91_500);
  });
});

describe('findClosingReason', () => {
  const stallMs = 1_000;
  const expiresAt = new Date('2026-01-01T00:00:00Z');
  const times = { nowMs: 50_000, wallMs: expiresAt.getTime() - 1 };
  const healthy = { entitlement: { validUntil: expiresAt }, lastProgressAtMs: 49_001, endsAtMs: 50_001 };

  test('returns null while nothing is due', () => {
    expect(findClosingReason(healthy, times, stallMs)).toBeNull();
    expect(findClosingReason({ ...healthy, entitlement: { validUntil: null } }, times, stallMs)).toBeNull();
  });

  test('returns each reason from the millisecond at which it is due', () => {
    expect(findClosingReason(healthy, { ...times, wallMs: expiresAt.getTime() }, stallMs)).toBe('expired');
    expect(findClosingReason({ ...healthy, lastProgressAtMs: 49_000 }, times, stallMs)).toBe('slow');
    expect(findClosingReason({ ...healthy, endsAtMs: 50_000 }, times, stallMs)).toBe('lifetime');
  });

  test('returns the reason that sends the least: expired before slow, slow before lifetime', () => {
    const overdue = { ...healthy, lastProgressAtMs: 0, endsAtMs: 0 };
    expect(findClosingReason(overdue, { ...times, wallMs: expiresAt.getTime() }, stallMs)).toBe('expired');
    expect(findClosingReason(overdue, times, stallMs)).toBe('slow');
  });
});
