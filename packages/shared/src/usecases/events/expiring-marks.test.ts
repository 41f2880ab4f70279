import { beforeEach, expect, test } from 'vitest';
import type { DedupeMark } from '../../ports/event-log.ts';
import { ExpiringMarks } from './expiring-marks.ts';

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
  marks = new ExpiringMarks({
    numbers: {
      takeNext: async () => {
        run += 1;
        return { run, takenAtMs: 0 };
      },
    },
    eventLog: {
      expireMarks: async (expiring, highestRun) => {
        beforeExpiry();
        calls.push({ marks: expiring, run: highestRun });
      },
    },
  });
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
