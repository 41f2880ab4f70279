import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type FakeHubOptions, openFakeHub } from './testing/fake-hub.ts';
import { eventsIn, openFakeSink } from './testing/fake-sink.ts';

function openHub(options: FakeHubOptions) {
  const fake = openFakeHub(options);
  onTestFinished(() => fake.hub.close());
  return fake;
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** A turn ends when its time is up: here it never is. */
const still = { ...systemClock, monotonicMs: () => 0 };

describe('Feeder', () => {
  it('writes what came in one turn as one buffer to all that have caught up', async () => {
    const { append, join } = openHub({ ringFrames: 100, clock: still });
    const sinks = [openFakeSink(), openFakeSink()];
    for (const sink of sinks) join(sink, 0);
    append(3);
    append(2);
    await sinks[1]!.until(() => eventsIn(sinks[1]!).length === 5);
    expect(sinks.map((sink) => sink.writes.length)).toEqual([1, 1]);
    expect(sinks[0]!.writes[0]).toBe(sinks[1]!.writes[0]);
  });

  it.each([
    ['from the ring', 1_000, 'joins last', 20],
    ['from the log', 10, 'joins last', 20],
    // What is new goes out to all at once, one write to each; what more there is of it in turns.
    ['with a burst', 1_000, 'joins first', 120],
  ] as const)('lets others in while a crowd catches up %s', async (_, ringFrames, order, writesPerTurnMax) => {
    let nowMs = 0;
    const clock = { ...systemClock, monotonicMs: () => nowMs };
    const { append, join } = openHub({ ringFrames, options: { unsentLimitBytes: 10_000_000 }, clock });
    const crowd = Array.from({ length: 100 }, () => openFakeSink());
    let writesInThisTurn = 0;
    for (const { sink } of crowd) {
      const write = sink.write;
      sink.write = (chunk) => {
        // A write takes a millisecond here, and a turn ten.
        nowMs += 1;
        writesInThisTurn += 1;
        write(chunk);
      };
    }
    if (order === 'joins last') append(500, {}, 1_000);
    for (const sink of crowd) join(sink, 0);
    if (order === 'joins first') append(500, {}, 1_000);
    let most = 0;
    while (crowd.some((sink) => sink.writes.at(-1)?.includes('.500\n') !== true)) {
      await new Promise((resolve) => setImmediate(resolve));
      most = Math.max(most, writesInThisTurn);
      writesInThisTurn = 0;
    }
    expect(crowd.map((sink) => eventsIn(sink))).toEqual(crowd.map(() => range(1, 500)));
    expect(most).toBeLessThanOrEqual(writesPerTurnMax);
  });

  it('shares within a turn what those at the same place are sent', async () => {
    const { append, join } = openHub({ ringFrames: 1_000, clock: still });
    append(300, {}, 1_000);
    const crowd = [openFakeSink(), openFakeSink(), openFakeSink()];
    for (const sink of crowd) join(sink, 0);
    await crowd[2]!.until(() => crowd.every((sink) => eventsIn(sink).at(-1) === 300));
    expect(new Set(crowd.map((sink) => sink.writes[0])).size).toBe(1);
  });

  it('keeps nothing of a page for a client that is slow to take it, and reads the rest when it has', async () => {
    const { append, join, reads } = openHub({ ringFrames: 1, options: { unsentLimitBytes: 100_000 } });
    append(14, {}, 40_000);
    const sink = openFakeSink();
    sink.pause();
    join(sink, 0);
    // A page has seven events, and three are more than may lie unsent.
    for (const taken of [0, 3, 6, 9]) {
      await sink.until(() => reads.length > 0 && eventsIn(sink).length === taken + 3);
      expect(reads).toEqual([0, 3, 6, 9].filter((seq) => seq <= taken));
      sink.drain();
    }
    await sink.until(() => eventsIn(sink).length === 14);
    expect(eventsIn(sink)).toEqual(range(1, 14));
  });

  it('replays on for a client that is slow to take it, also where the ring has gone past it meanwhile', async () => {
    const { append, join } = openHub({ ringFrames: 8, options: { unsentLimitBytes: 100_000 } });
    append(10, {}, 40_000);
    const sink = openFakeSink();
    sink.pause();
    join(sink, 0);
    await sink.until(() => eventsIn(sink).length === 3);
    for (let turns = 0; turns < 5; turns += 1) await nextTurn();
    append(20, {}, 40_000);
    while (eventsIn(sink).length < 30) {
      const before = eventsIn(sink).length;
      sink.drain();
      await sink.until(() => eventsIn(sink).length > before || sink.isEnded);
      expect(sink.isEnded).toBe(false);
    }
    expect(eventsIn(sink)).toEqual(range(1, 30));
  });

  it('shares nothing from one turn to the next', async () => {
    const { append, join } = openHub({ ringFrames: 100 });
    const [other, sink] = [openFakeSink(), openFakeSink()];
    let unsentBytes = 1_000_000;
    join(other, 0);
    join({ ...sink, sink: { ...sink.sink, unsentBytes: () => unsentBytes } }, 0);
    append(1);
    await other.until(() => eventsIn(other).length === 1);
    unsentBytes = 0;
    append(1);
    await sink.until(() => eventsIn(sink).length === 2);
    expect(sink.writes).toHaveLength(1);
  });
});
