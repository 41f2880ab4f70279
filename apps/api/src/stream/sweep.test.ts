import { describe, expect, it } from 'vitest';
import type { Connection } from './connection.ts';
import { Feed } from './feed.ts';
import { Ring } from './ring.ts';
import { makeSweep, sweepIntervalMs } from './sweep.ts';
import { anEntitlement } from './testing/fake-hub.ts';
import { openFakeSink, positionsIn } from './testing/fake-sink.ts';

const ring = new Ring({ frames: 10, bytes: 1_000 });

function aConnection(filter: Parameters<typeof anEntitlement>[0], validUntil: Date | null = null) {
  const sink = openFakeSink();
  const entitlement = anEntitlement(filter, { validUntil });
  const connection: Connection = {
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

/** Sweeps as the hub does, on a clock of its own. */
function sweepFor(
  totalMs: number,
  heartbeatIntervalMs: number,
  look: (nowMs: number) => void,
  connection: Connection,
  stallMs = Infinity,
) {
  const options = { heartbeatIntervalMs, stallMs };
  let nowMs = 0;
  const ended: [string, number][] = [];
  const sweep = makeSweep({
    clock: { now: () => new Date(nowMs), monotonicMs: () => nowMs },
    options,
    end: (_connection, reason) => ended.push([reason, nowMs]),
  });
  for (; nowMs <= totalMs; nowMs += sweepIntervalMs(options)) {
    look(nowMs);
    sweep(ended.length > 0 ? [] : [connection]);
  }
  return ended;
}

describe('the sweep', () => {
  it.each([15_000, 3_600_000])(
    'tells a filtered stream its position every minute, with heartbeats every %d ms',
    (heartbeatMs) => {
      const { sink, connection } = aConnection({ types: ['widget.created'] });
      const toldAtMs: number[] = [];
      sweepFor(
        3_600_000,
        heartbeatMs,
        (nowMs) => {
          if (sink.writes.length > toldAtMs.length) toldAtMs.push(nowMs);
          connection.cursor = { ms: nowMs, seq: nowMs + 1 };
        },
        connection,
      );
      // The last sweep comes after the last look.
      if (sink.writes.length > toldAtMs.length) toldAtMs.push(3_600_000);
      expect(positionsIn(sink)).toHaveLength(toldAtMs.length);
      const gapsMs = toldAtMs.map((atMs, index) => atMs - (toldAtMs[index - 1] ?? 0));
      expect(toldAtMs.at(-1)).toBeGreaterThan(3_540_000);
      expect(Math.max(...gapsMs)).toBeLessThanOrEqual(60_000);
    },
  );

  it('lets an unfiltered stream have its heartbeats as they were set', () => {
    const { sink, connection } = aConnection({});
    connection.heartbeatAtMs = 1_000_000;
    sweepFor(3_600_000, 1_000_000, () => undefined, connection);
    expect(sink.writes.length).toBeLessThanOrEqual(4);
  });

  it.each([
    ['keeps a client that takes a little at a time, while as much again or more comes for it', 8_000, []],
    ['cuts a client that has taken nothing for the stall time, whatever comes for it', 0, [['slow', 30_000]]],
  ])('%s', (_, takenPerSecond, ends) => {
    const { connection } = aConnection({});
    let nowMs = 0;
    const sink = {
      ...connection.sink,
      unsentBytes: () => 10_000 + nowMs,
      sentBytes: () => (nowMs / 1_000) * takenPerSecond,
    };
    const look = (ms: number) => {
      nowMs = ms;
    };
    expect(sweepFor(100_000, 15_000, look, { ...connection, sink }, 30_000)).toEqual(ends);
  });

  it('ends a stream within a second of its right', () => {
    const { connection } = aConnection({}, new Date(90_500));
    const [end] = sweepFor(100_000, 15_000, () => undefined, connection);
    expect(end?.[0]).toBe('expired');
    expect(end?.[1]).toBeGreaterThanOrEqual(90_500);
    expect(end?.[1]).toBeLessThanOrEqual(91_500);
  });
});
