import { beforeEach, describe, expect, test } from 'vitest';
import { UnavailableError } from '../../domain/errors.ts';
import type { ComparablePosition } from '../../ports/run-registry.ts';
import { RecordedPosition } from './recorded-position.ts';

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
  position = new RecordedPosition({
    runs: {
      lastPosition: async () => {
        reads += 1;
        return stored;
      },
      recordPosition: async (last, expected) => {
        if (JSON.stringify(stored) !== JSON.stringify(expected)) return false;
        stored = last;
        return true;
      },
    },
    eventLog: {
      inspect: async (asked) => {
        const end = { epoch: asked?.epoch ?? '', ms: 0, seq: 0 };
        return {
          extent: { epoch: end.epoch, oldest: end, last: end },
          contains: covered.some((each) => each === asked),
        };
      },
    },
    clock: { monotonicMs: () => nowMs },
  });
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
