import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type FakeHubOptions, openFakeHub, waitForImmediate } from './testing/fake-hub.ts';
import { openFakeSink, parseEventSeqs } from './testing/fake-sink.ts';

function openHub(options: FakeHubOptions) {
  const fake = openFakeHub(options);
  onTestFinished(() => fake.hub.close());
  return fake;
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** With this clock a time slice never ends before its work is done. */
const frozenClock = { ...systemClock, monotonicMs: () => 0 };

describe('the feeding of connections', () => {
  test('writes the events of one event-loop turn as one shared buffer to every caught-up connection', async () => {
    const { append, join } = openHub({ ringFrames: 100, clock: frozenClock });
    const sinks = [openFakeSink(), openFakeSink()];
    for (const sink of sinks) join(sink, 0);
    append(3);
    append(2);
    await sinks[1]!.until(() => parseEventSeqs(sinks[1]!).length === 5);
    expect(sinks.map((sink) => sink.writes.length)).toEqual([1, 1]);
    expect(sinks[0]!.writes[0]).toBe(sinks[1]!.writes[0]);
  });

  test.each([
    ['from the ring', 1_000, 'joins last', 20],
    ['from the log', 10, 'joins last', 20],
    // A fan-out writes once to each connection in one event-loop turn. The rest of the burst goes out in slices.
    ['with a burst', 1_000, 'joins first', 120],
  ] as const)('lets other work run while a crowd catches up %s', async (_, ringFrames, order, maxWritesPerTurn) => {
    let nowMs = 0;
    const clock = { ...systemClock, monotonicMs: () => nowMs };
    const { append, join } = openHub({ ringFrames, options: { unsentLimitBytes: 10_000_000 }, clock });
    const crowd = Array.from({ length: 100 }, () => openFakeSink());
    let writesInThisTurn = 0;
    for (const { sink } of crowd) {
      const write = sink.write;
      sink.write = (chunk) => {
        // A write takes 1 ms on this clock, and a slice 10 ms.
        nowMs += 1;
        writesInThisTurn += 1;
        write(chunk);
      };
    }
    if (order === 'joins last') append(500, {}, 1_000);
    for (const sink of crowd) join(sink, 0);
    if (order === 'joins first') append(500, {}, 1_000);
    let maxWrites = 0;
    while (crowd.some((sink) => sink.writes.at(-1)?.includes('.500\n') !== true)) {
      await new Promise((resolve) => setImmediate(resolve));
      maxWrites = Math.max(maxWrites, writesInThisTurn);
      writesInThisTurn = 0;
    }
    expect(crowd.map((sink) => parseEventSeqs(sink))).toEqual(crowd.map(() => range(1, 500)));
    expect(maxWrites).toBeLessThanOrEqual(maxWritesPerTurn);
  });

  test('shares one buffer per time slice among connections at the same cursor', async () => {
    const { append, join } = openHub({ ringFrames: 1_000, clock: frozenClock });
    append(300, {}, 1_000);
    const crowd = [openFakeSink(), openFakeSink(), openFakeSink()];
    for (const sink of crowd) join(sink, 0);
    await crowd[2]!.until(() => crowd.every((sink) => parseEventSeqs(sink).at(-1) === 300));
    expect(new Set(crowd.map((sink) => sink.writes[0])).size).toBe(1);
  });

  test('drops the rest of a page for a slow client and reads it again when the socket drains', async () => {
    const { append, join, reads } = openHub({ ringFrames: 1, options: { unsentLimitBytes: 100_000 } });
    append(14, {}, 40_000);
    const sink = openFakeSink();
    sink.pause();
    join(sink, 0);
    // A page has seven events; three of them exceed the unsent limit.
    for (const sent of [0, 3, 6, 9]) {
      await sink.until(() => reads.length > 0 && parseEventSeqs(sink).length === sent + 3);
      expect(reads).toEqual([0, 3, 6, 9].filter((seq) => seq <= sent));
      sink.drain();
    }
    await sink.until(() => parseEventSeqs(sink).length === 14);
    expect(parseEventSeqs(sink)).toEqual(range(1, 14));
  });

  test('continues the replay of a slow client after the ring has dropped its next event', async () => {
    const { append, join } = openHub({ ringFrames: 8, options: { unsentLimitBytes: 100_000 } });
    append(10, {}, 40_000);
    const sink = openFakeSink();
    sink.pause();
    join(sink, 0);
    await sink.until(() => parseEventSeqs(sink).length === 3);
    for (let turn = 0; turn < 5; turn += 1) await waitForImmediate();
    append(20, {}, 40_000);
    while (parseEventSeqs(sink).length < 30) {
      const countBefore = parseEventSeqs(sink).length;
      sink.drain();
      await sink.until(() => parseEventSeqs(sink).length > countBefore || sink.isEnded);
      expect(sink.isEnded).toBe(false);
    }
    expect(parseEventSeqs(sink)).toEqual(range(1, 30));
  });

  test('clears the cache of joined frames after each fan-out', async () => {
    const { append, join } = openHub({ ringFrames: 100 });
    const [other, sink] = [openFakeSink(), openFakeSink()];
    let unsentBytes = 1_000_000;
    join(other, 0);
    join({ ...sink, sink: { ...sink.sink, unsentBytes: () => unsentBytes } }, 0);
    append(1);
    await other.until(() => parseEventSeqs(other).length === 1);
    unsentBytes = 0;
    append(1);
    await sink.until(() => parseEventSeqs(sink).length === 2);
    expect(sink.writes).toHaveLength(1);
  });
});
