import { beforeEach, describe, expect, test } from 'vitest';
import { UnavailableError } from '../../domain/errors.ts';
import type { LogPosition } from '../../domain/log-position.ts';
import type { DedupeMark } from '../../ports/event-log.ts';
import type { ComparablePosition } from '../../ports/run-registry.ts';
import { ExpiringMarks, RecordedPosition, RunNumbers } from './run-state.ts';

describe('the numbers of runs', () => {
  let nowMs: number;
  let taken: number;
  let numbers: RunNumbers;

  beforeEach(() => {
    nowMs = 1_000;
    taken = 0;
    const startRun = async () => {
      taken += 1;
      return { run: taken, lastPosition: null };
    };
    numbers = new RunNumbers({ startRun }, { monotonicMs: () => nowMs });
  });

  test('runs that start within 30 s share a number, and later ones get a new one', async () => {
    expect(await numbers.get()).toEqual({ run: 1, takenAtMs: 1_000 });
    nowMs = 30_999;
    expect(await numbers.get()).toEqual({ run: 1, takenAtMs: 1_000 });
    nowMs = 31_000;
    expect(await numbers.get()).toEqual({ run: 2, takenAtMs: 31_000 });
  });

  test('runs that start at the same time take one number together', async () => {
    expect((await Promise.all([numbers.get(), numbers.get()])).map(({ run }) => run)).toEqual([1, 1]);
  });

  test('a number that is taken for another purpose is new, and the next runs share it', async () => {
    await numbers.get();
    nowMs = 2_000;
    expect(await numbers.takeNext()).toEqual({ run: 2, takenAtMs: 2_000 });
    expect(await numbers.get()).toEqual({ run: 2, takenAtMs: 2_000 });
  });

  test('after a failed run the next one takes a new number', async () => {
    await numbers.get();
    numbers.forget(1);
    expect(await numbers.get()).toMatchObject({ run: 2 });
    numbers.forget(1);
    expect(await numbers.get()).toMatchObject({ run: 2 });
  });

  test('a number that could not be taken is requested again', async () => {
    let fails = true;
    const startRun = async () => {
      if (fails) throw new Error('no answer');
      return { run: 7, lastPosition: null };
    };
    const failing = new RunNumbers({ startRun }, { monotonicMs: () => nowMs });
    await expect(failing.get()).rejects.toThrow('no answer');
    fails = false;
    expect(await failing.get()).toMatchObject({ run: 7 });
  });
});

describe('the recorded position', () => {
  const at = (seq: number, epoch = 'a', epochRun = 1): ComparablePosition => ({ epoch, epochRun, ms: seq * 10, seq });

  let stored: ComparablePosition | null;
  /** The positions that the log covers. */
  let covered: readonly ComparablePosition[];
  let reads: number;
  let nowMs: number;
  let position: RecordedPosition;

  beforeEach(() => {
    stored = at(3);
    covered = [];
    reads = 0;
    nowMs = 0;
    const lastPosition = async () => {
      reads += 1;
      return stored;
    };
    const recordPosition = async (last: ComparablePosition, expected: ComparablePosition | null) => {
      if (JSON.stringify(stored) !== JSON.stringify(expected)) return false;
      stored = last;
      return true;
    };
    const inspect = async (asked: LogPosition | null) => {
      const end = { epoch: asked?.epoch ?? '', ms: 0, seq: 0 };
      const contains = covered.some((each) => each === asked);
      return { extent: { epoch: end.epoch, oldest: end, last: end }, contains };
    };
    position = new RecordedPosition({ lastPosition, recordPosition }, { inspect }, { monotonicMs: () => nowMs });
  });

  describe('the position that an append is checked against', () => {
    test('is read, and then known for 20 ms', async () => {
      expect([await position.get(), await position.get(), reads]).toEqual([at(3), at(3), 1]);
      nowMs = 20;
      stored = at(4);
      expect([await position.get(), reads]).toEqual([at(4), 2]);
    });

    test('is read in the background, and not a second time', async () => {
      position.prepare();
      position.prepare();
      expect([await position.get(), reads]).toEqual([at(3), 1]);
    });

    test('is the recorded one right after a record', async () => {
      await position.record(at(5), await position.get());
      expect([await position.get(), reads]).toEqual([at(5), 1]);
    });

    test('stays the one that this process recorded, if the store has an earlier one of that epoch', async () => {
      await position.record(at(5), await position.get());
      stored = at(4);
      nowMs = 20;
      expect(await position.get()).toEqual(at(5));
    });

    test('is the stored one, if the store has another epoch of the same number', async () => {
      await position.record(at(5), await position.get());
      stored = at(1, 'b');
      nowMs = 20;
      expect(await position.get()).toEqual(at(1, 'b'));
    });

    test('is that of another process, if that one has recorded a later one meanwhile', async () => {
      const expected = await position.get();
      const [own, other] = [at(5), at(6)];
      stored = other;
      covered = [own, other];
      await position.record(own, expected);
      expect([stored, await position.get()]).toEqual([other, other]);
    });
  });

  test('a record over an earlier position of another process keeps the later one', async () => {
    const expected = await position.get();
    const [own, other] = [at(5), at(4)];
    stored = other;
    covered = [own, other];
    await position.record(own, expected);
    expect(stored).toEqual(own);
  });

  test.each([
    ['its own position', () => [at(6)]],
    ['that of the other process', () => [at(5)]],
  ])('a record fails if the log no longer covers %s, and the position is read again', async (_, listCovered) => {
    const expected = await position.get();
    const [own, other] = [at(5), at(6)];
    stored = other;
    covered = [own, other].filter(({ seq }) => listCovered().some((each) => each.seq === seq));
    await expect(position.record(own, expected)).rejects.toBeInstanceOf(UnavailableError);
    expect(stored).toEqual(other);
    reads = 0;
    expect([await position.get(), reads]).toEqual([other, 1]);
  });
});

describe('expiring marks', () => {
  const version = (widgetId: string, number: number): DedupeMark => ({ kind: 'version', widgetId, version: number });
  const event = (eventId: string): DedupeMark => ({ kind: 'event', eventId });

  let run: number;
  let calls: { readonly marks: readonly DedupeMark[]; readonly run: number }[];
  /** Called before each call of the log. */
  let beforeExpiry: () => void;
  let marks: ExpiringMarks;

  beforeEach(() => {
    run = 41;
    calls = [];
    beforeExpiry = () => undefined;
    const takeNext = async () => {
      run += 1;
      return { run, takenAtMs: 0 };
    };
    const expireMarks = async (expiring: readonly DedupeMark[], highestRun: number) => {
      beforeExpiry();
      calls.push({ marks: expiring, run: highestRun });
    };
    marks = new ExpiringMarks({ takeNext }, { expireMarks });
  });

  test('marks expire under a number that is taken after they were added', async () => {
    marks.add([version('w', 3), event('e')]);
    await marks.expire();
    expect(calls).toEqual([{ marks: [version('w', 3), event('e')], run: 42 }]);
  });

  test('without marks, no number is taken', async () => {
    await marks.expire();
    expect([run, calls]).toEqual([41, []]);
  });

  test('of a widget, only the highest version expires', async () => {
    marks.add([version('w', 3)]);
    marks.add([version('w', 5), version('v', 1)]);
    marks.add([version('w', 4)]);
    await marks.expire();
    expect(calls[0]?.marks).toEqual([version('w', 5), version('v', 1)]);
  });

  test('one call has at most 1 000 marks', async () => {
    marks.add(Array.from({ length: 2_001 }, (_, index) => event(`e${index}`)));
    await marks.expire();
    expect(calls.map((call) => [call.marks.length, call.run])).toEqual([
      [1_000, 42],
      [1_000, 42],
      [1, 42],
    ]);
  });

  test('marks whose expiry fails stay, and do not replace those that were added meanwhile', async () => {
    marks.add([...Array.from({ length: 1_000 }, (_, index) => event(`e${index}`)), version('w', 3), version('v', 3)]);
    beforeExpiry = () => {
      if (calls.length === 0) return;
      marks.add([version('w', 4)]);
      throw new Error('no answer');
    };
    await expect(marks.expire()).rejects.toThrow('no answer');
    beforeExpiry = () => undefined;
    await marks.expire();
    expect(calls.at(-1)).toEqual({ marks: [version('w', 4), version('v', 3)], run: 43 });
  });
});
