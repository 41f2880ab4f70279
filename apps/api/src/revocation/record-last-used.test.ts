import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import type { Grant } from '@widget-service/shared/entities/grant.ts';
import { expect, test } from 'vitest';
import { makeRecordLastUsed } from './record-last-used.ts';

/** A store that records its calls and can fail, and a clock that moves only when a test sets it. */
function setUp() {
  const state = { nowMs: 1_000_000, writes: [] as string[], isUnavailable: false };
  const recordLastUsed = makeRecordLastUsed({
    grants: {
      change: async (id, decide) => {
        const grant = { id, lastUsedAt: null } as Grant;
        state.writes.push(`${id} ${decide(grant)?.lastUsedAt?.getTime()}`);
        if (state.isUnavailable) throw new UnavailableError('the store is unavailable');
        return grant;
      },
    },
    clock: { now: () => new Date(state.nowMs), monotonicMs: () => state.nowMs },
  });
  return { recordLastUsed, state };
}

test('records each grant at most once a minute', () => {
  const { recordLastUsed, state } = setUp();
  for (const nowMs of [1_000_000, 1_000_001, 1_059_999, 1_060_000, 1_060_001]) {
    state.nowMs = nowMs;
    recordLastUsed('a');
  }
  recordLastUsed('b');
  expect(state.writes).toEqual(['a 1000000', 'a 1060000', 'b 1060001']);
});

test('records a use again five seconds after a failed write', async () => {
  const { recordLastUsed, state } = setUp();
  state.isUnavailable = true;
  recordLastUsed('a');
  await new Promise(setImmediate);
  state.isUnavailable = false;
  state.nowMs += 4_999;
  recordLastUsed('a');
  expect(state.writes).toHaveLength(1);
  state.nowMs += 1;
  recordLastUsed('a');
  expect(state.writes).toEqual(['a 1000000', 'a 1005000']);
});

test('remembers at most 20 000 grants', () => {
  const { recordLastUsed, state } = setUp();
  for (let n = 0; n < 20_001; n += 1) recordLastUsed(`${n}`);
  recordLastUsed('20000');
  recordLastUsed('1');
  expect(state.writes).toHaveLength(20_001);
  recordLastUsed('0');
  expect(state.writes).toHaveLength(20_002);
});
