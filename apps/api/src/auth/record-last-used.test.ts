import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { expect, test } from 'vitest';
import { makeRecordLastUsed } from './record-last-used.ts';

/** A store that keeps what it is told, or refuses it, and a clock that stands still. */
function setUp() {
  const state = { nowMs: 1_000_000, touched: [] as string[], isAway: false };
  const noteUse = makeRecordLastUsed({
    grants: {
      recordLastUsed: async (id, at) => {
        state.touched.push(`${id} ${at.getTime()}`);
        if (state.isAway) throw new UnavailableError('the store is away');
      },
    },
    clock: { now: () => new Date(state.nowMs), monotonicMs: () => state.nowMs },
  });
  return { noteUse, state };
}

test('a grant in use is noted once a minute, each for itself', () => {
  const { noteUse, state } = setUp();
  for (const nowMs of [1_000_000, 1_000_001, 1_059_999, 1_060_000, 1_060_001]) {
    state.nowMs = nowMs;
    noteUse('a');
  }
  noteUse('b');
  expect(state.touched).toEqual(['a 1000000', 'a 1060000', 'b 1060001']);
});

test('a use that could not be noted is noted five seconds later', async () => {
  const { noteUse, state } = setUp();
  state.isAway = true;
  noteUse('a');
  await new Promise(setImmediate);
  state.isAway = false;
  state.nowMs += 4_999;
  noteUse('a');
  expect(state.touched).toHaveLength(1);
  state.nowMs += 1;
  noteUse('a');
  expect(state.touched).toEqual(['a 1000000', 'a 1005000']);
});

test('it remembers a bounded number of grants', () => {
  const { noteUse, state } = setUp();
  for (let n = 0; n < 20_001; n += 1) noteUse(`${n}`);
  noteUse('20000');
  noteUse('1');
  expect(state.touched).toHaveLength(20_001);
  noteUse('0');
  expect(state.touched).toHaveLength(20_002);
});
