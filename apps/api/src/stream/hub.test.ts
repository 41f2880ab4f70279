import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { HubOptions } from './hub.ts';
import { type FakeHub, openFakeHub } from './testing/fake-hub.ts';
import { eventsIn, openFakeSink } from './testing/fake-sink.ts';

const open: FakeHub[] = [];
afterEach(() => {
  for (const { hub } of open.splice(0)) hub.close();
});

function openHub(kept: number, ringFrames: number, options: Partial<HubOptions> = {}) {
  const fake = openFakeHub({ ringFrames, options });
  open.push(fake);
  fake.append(kept);
  return fake;
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

describe('Hub', () => {
  it('feeds every connection each event once and in order, wherever it starts and however slow it is', async () => {
    const plan = fc.record({
      kept: fc.nat(40),
      ringFrames: fc.integer({ min: 1, max: 60 }),
      starts: fc.array(fc.nat(40), { minLength: 1, maxLength: 5 }),
      bursts: fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 6 }),
    });
    await fc.assert(
      fc.asyncProperty(plan, async ({ kept, ringFrames, starts, bursts }) => {
        const { append, join, hub, reasons } = openHub(kept, ringFrames);
        const streams = starts.map((start) => ({ start: Math.min(start, kept), sink: openFakeSink() }));
        for (const { start, sink } of streams) join(sink, start);
        let total = kept;
        for (const burst of bursts) {
          append(burst);
          total += burst;
          await new Promise((resolve) => setImmediate(resolve));
          for (const { sink } of streams) sink.drain();
        }
        for (const { start, sink } of streams) {
          await sink.until(() => sink.isEnded || eventsIn(sink).at(-1) === total || start === total);
          const got = eventsIn(sink);
          expect(got).toEqual(range(start + 1, start + got.length));
        }
        // Only one that was live and fell out of the ring may have been cut.
        expect(reasons.every((reason) => reason === 'slow' || reason === 'resync')).toBe(true);
        hub.close();
      }),
      { numRuns: 60 },
    );
  });

  it('does not ask the log for cursors inside the ring', async () => {
    const { join, reads } = openHub(50, 100);
    const sink = openFakeSink();
    join(sink, 10);
    await sink.until(() => eventsIn(sink).length === 40);
    expect(reads).toEqual([]);
  });

  it('holds back what a slow client has not taken, and goes on when it takes it', async () => {
    const { append, join } = openHub(0, 1_000, { unsentLimitBytes: 1_000 });
    const sink = openFakeSink();
    sink.pause();
    join(sink, 0);
    append(300, {}, 300);
    await sink.until(() => sink.writes.length > 0);
    const unsent = sink.unsentBytes();
    expect(unsent).toBeLessThan(1_000 + 70_000);
    sink.resume();
    await sink.until(() => eventsIn(sink).length === 300);
    expect(eventsIn(sink)).toEqual(range(1, 300));
  });

  it('cuts a client that has fallen out of the ring', async () => {
    const { append, join, reasons } = openHub(0, 10, { unsentLimitBytes: 100 });
    const sink = openFakeSink();
    sink.pause();
    join(sink, 0);
    append(5, {}, 200);
    await sink.until(() => sink.writes.length > 0);
    append(50, {}, 200);
    sink.resume();
    await sink.until(() => sink.isEnded);
    expect(reasons).toEqual(['slow']);
  });

  it('replays no faster than the client takes it, and all of it', async () => {
    const { join } = openHub(400, 10, { unsentLimitBytes: 500 });
    const sink = openFakeSink();
    sink.pause();
    join(sink, 0);
    await sink.until(() => sink.unsentBytes() >= 500);
    const before = sink.writes.length;
    await new Promise((resolve) => setImmediate(resolve));
    expect(sink.writes.length).toBe(before);
    sink.resume();
    await sink.until(() => eventsIn(sink).length === 400);
    expect(eventsIn(sink)).toEqual(range(1, 400));
  });

  it('goes on from the log for a client that took all there was, when more came at once than the ring holds', async () => {
    const { append, join, reasons, reads } = openHub(0, 10);
    const sink = openFakeSink();
    join(sink, 0);
    append(100);
    await sink.until(() => eventsIn(sink).length === 100);
    expect(eventsIn(sink)).toEqual(range(1, 100));
    expect(reads.length).toBeGreaterThan(0);
    expect(reasons).toEqual([]);
  });

  it('cuts a client that has taken nothing for the stall time', async () => {
    const { append, join, reasons } = openHub(0, 1_000, { stallMs: 100, heartbeatIntervalMs: 200 });
    const sink = openFakeSink();
    sink.pause();
    join(sink, 0);
    append(5);
    await sink.until(() => sink.isEnded);
    expect(reasons).toEqual(['slow']);
  });

  it('sends heartbeats, and ends a stream after its lifetime with a word why', async () => {
    const { join, reasons } = openHub(0, 10, { heartbeatIntervalMs: 100, lifetimeMs: 400 });
    const sink = openFakeSink();
    join(sink, 0);
    await sink.until(() => sink.isEnded);
    expect(sink.text()).toContain(':\n\n');
    expect(sink.text()).toMatch(/event: stream\.closing\ndata: \{"reason":"lifetime"\}\nretry: \d+\n\n$/);
    expect(reasons).toEqual(['lifetime']);
  });

  it('counts the open streams, and forgets those whose client has left', () => {
    const { hub, join, reasons } = openHub(0, 10);
    const sinks = [openFakeSink(), openFakeSink()];
    for (const sink of sinks) join(sink, 0);
    expect(hub.size()).toBe(2);
    sinks[0]?.leave();
    expect(hub.size()).toBe(1);
    expect(reasons).toEqual(['client-left']);
  });

  it('ends a stream of another epoch with `resync`', () => {
    const { joinAt, reasons } = openHub(3, 10);
    const sink = openFakeSink();
    joinAt(sink, { epoch: 'e0', ms: 1, seq: 1 });
    expect(reasons).toEqual(['resync']);
    expect(sink.isEnded).toBe(true);
  });

  it('ends a stream with `resync` that stands behind a time which the next event here is from', () => {
    const { joinAt, reasons } = openHub(6, 10);
    const sink = openFakeSink();
    // The log lost its end and went on with another third event; the ring has not heard of it yet.
    joinAt(sink, { epoch: 'e1', ms: 5_000, seq: 3 });
    expect(eventsIn(sink)).toEqual([]);
    expect(reasons).toEqual(['resync']);
  });

  it('ends a stream with `resync` that stands on another event of the number that is the last here', () => {
    const { joinAt, reasons } = openHub(3, 10);
    joinAt(openFakeSink(), { epoch: 'e1', ms: 1_002, seq: 3 });
    expect(reasons).toEqual(['resync']);
  });

  it('ends those streams with `resync` that had come further than the log before it was asked for its end', async () => {
    const { hub, join, append, reasons } = openHub(3, 10);
    const [beyond, atEnd] = [openFakeSink(), openFakeSink()];
    join(beyond, 5);
    join(atEnd, 3);
    const endBeyond = hub.trackStreamsAheadOf({ epoch: 'e1', ms: 1_003, seq: 3 });
    const later = openFakeSink();
    join(later, 6);
    endBeyond({ epoch: 'e1', ms: 1_004, seq: 4 });
    expect(reasons).toEqual(['resync']);
    expect(beyond.isEnded).toBe(true);
    append(4);
    await atEnd.until(() => eventsIn(atEnd).length === 4);
    await later.until(() => eventsIn(later).length === 1);
  });

  it('drains every stream within the window', async () => {
    const { hub, join, reasons } = openHub(0, 10);
    for (let count = 0; count < 50; count += 1) join(openFakeSink(), 0);
    await hub.drain(200);
    expect(reasons).toEqual(new Array(50).fill('draining'));
  });

  it('ends at once who joins after it was closed', () => {
    const { hub, join, reasons } = openHub(0, 10);
    hub.close();
    join(openFakeSink(), 0);
    expect(reasons).toEqual(['draining']);
    expect(hub.size()).toBe(0);
  });
});
