import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import type { HubOptions } from './hub.ts';
import { anEntitlement, type FakeHub, openFakeHub } from './testing/fake-hub.ts';
import { openFakeSink, parseEventSeqs } from './testing/fake-sink.ts';

const open: FakeHub[] = [];
afterEach(() => {
  for (const { hub } of open.splice(0)) hub.close();
});

/** Opens a hub whose log and ring already hold `kept` events. */
function openHub(kept: number, ringFrames: number, options: Partial<HubOptions> = {}) {
  const fake = openFakeHub({ ringFrames, options });
  open.push(fake);
  fake.append(kept);
  return fake;
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

describe('Hub', () => {
  test('sends every connection each event once and in order, from any start and at any speed', async () => {
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
          await sink.until(() => sink.isEnded || parseEventSeqs(sink).at(-1) === total || start === total);
          const seqs = parseEventSeqs(sink);
          expect(seqs).toEqual(range(start + 1, start + seqs.length));
        }
        // The hub may only have closed connections that were live and fell out of the ring.
        expect(reasons.every((reason) => reason === 'slow' || reason === 'resync')).toBe(true);
        hub.close();
      }),
      { numRuns: 60 },
    );
  });

  test('does not read the log for cursors inside the ring', async () => {
    const { join, reads } = openHub(50, 100);
    const sink = openFakeSink();
    join(sink, 10);
    await sink.until(() => parseEventSeqs(sink).length === 40);
    expect(reads).toEqual([]);
  });

  test('stops writing above the unsent limit and continues when the socket drains', async () => {
    const { append, join } = openHub(0, 1_000, { unsentLimitBytes: 1_000 });
    const sink = openFakeSink();
    sink.pause();
    join(sink, 0);
    append(300, {}, 300);
    await sink.until(() => sink.writes.length > 0);
    expect(sink.unsentBytes()).toBeLessThan(1_000 + 70_000);
    sink.resume();
    await sink.until(() => parseEventSeqs(sink).length === 300);
    expect(parseEventSeqs(sink)).toEqual(range(1, 300));
  });

  test('closes a backpressured client as slow when the ring drops its next event', async () => {
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

  test('replays every event, no faster than the client accepts them', async () => {
    const { join } = openHub(400, 10, { unsentLimitBytes: 500 });
    const sink = openFakeSink();
    sink.pause();
    join(sink, 0);
    await sink.until(() => sink.unsentBytes() >= 500);
    const writesBefore = sink.writes.length;
    await new Promise((resolve) => setImmediate(resolve));
    expect(sink.writes.length).toBe(writesBefore);
    sink.resume();
    await sink.until(() => parseEventSeqs(sink).length === 400);
    expect(parseEventSeqs(sink)).toEqual(range(1, 400));
  });

  test('replays from the log when more events arrive at once than the ring holds', async () => {
    const { append, join, reasons, reads } = openHub(0, 10);
    const sink = openFakeSink();
    join(sink, 0);
    append(100);
    await sink.until(() => parseEventSeqs(sink).length === 100);
    expect(parseEventSeqs(sink)).toEqual(range(1, 100));
    expect(reads.length).toBeGreaterThan(0);
    expect(reasons).toEqual([]);
  });

  test('closes a client as slow that accepts nothing for the stall time', async () => {
    const { append, join, reasons } = openHub(0, 1_000, { stallMs: 100, heartbeatIntervalMs: 200 });
    const sink = openFakeSink();
    sink.pause();
    join(sink, 0);
    append(5);
    await sink.until(() => sink.isEnded);
    expect(reasons).toEqual(['slow']);
  });

  test('sends heartbeats and closes a stream after its lifetime with the reason', async () => {
    const { join, reasons } = openHub(0, 10, { heartbeatIntervalMs: 100, lifetimeMs: 400 });
    const sink = openFakeSink();
    join(sink, 0);
    await sink.until(() => sink.isEnded);
    expect(sink.text()).toMatch(/^(:\n)+event: /);
    expect(sink.text()).toMatch(/event: stream\.closing\ndata: \{"reason":"lifetime"\}\nretry: \d+\n\n$/);
    expect(reasons).toEqual(['lifetime']);
  });

  test('counts the open streams without those whose client has left', () => {
    const { hub, join, reasons } = openHub(0, 10);
    const sinks = [openFakeSink(), openFakeSink()];
    for (const sink of sinks) join(sink, 0);
    expect(hub.size()).toBe(2);
    sinks[0]?.leave();
    expect(hub.size()).toBe(1);
    expect(reasons).toEqual(['client-left']);
  });

  test('counts the streams of sessions', () => {
    const { hub, join } = openHub(0, 10);
    const sinks = [openFakeSink(), openFakeSink()];
    join(openFakeSink(), 0);
    for (const sink of sinks) {
      join(sink, 0, anEntitlement({}, { holder: { kind: 'session', id: 'session', userId: 'user' } }));
    }
    expect([hub.countPersonal(), hub.size()]).toEqual([2, 3]);
    sinks[0]?.leave();
    expect(hub.countPersonal()).toBe(1);
  });

  test('closes a joining stream of another epoch with resync', () => {
    const { joinAt, reasons } = openHub(3, 10);
    const sink = openFakeSink();
    joinAt(sink, { epoch: 'e0', ms: 1, seq: 1 });
    expect(reasons).toEqual(['resync']);
    expect(sink.isEnded).toBe(true);
  });

  test('closes a joining stream with resync when its ms is not the predecessor of the next event', () => {
    const { joinAt, reasons } = openHub(6, 10);
    const sink = openFakeSink();
    // The log lost its end and now has another event 3, which is not in the ring yet.
    joinAt(sink, { epoch: 'e1', ms: 5_000, seq: 3 });
    expect(parseEventSeqs(sink)).toEqual([]);
    expect(reasons).toEqual(['resync']);
  });

  test('closes a joining stream with resync when its seq is the ring’s last but its ms differs', () => {
    const { joinAt, reasons } = openHub(3, 10);
    joinAt(openFakeSink(), { epoch: 'e1', ms: 1_002, seq: 3 });
    expect(reasons).toEqual(['resync']);
  });

  test('closes every stream within the drain window', async () => {
    const { hub, join, reasons } = openHub(0, 10);
    for (let count = 0; count < 50; count += 1) join(openFakeSink(), 0);
    await hub.drain(200);
    expect(reasons).toEqual(new Array(50).fill('draining'));
  });

  test('closes a stream at once that joins a closed hub', () => {
    const { hub, join, reasons } = openHub(0, 10);
    hub.close();
    join(openFakeSink(), 0);
    expect(reasons).toEqual(['draining']);
    expect(hub.size()).toBe(0);
  });
});
