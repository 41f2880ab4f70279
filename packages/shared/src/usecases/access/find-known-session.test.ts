import { describe, expect, test } from 'vitest';
import { UnavailableError } from '../../domain/errors.ts';
import type { Session } from '../../entities/session.ts';
import { makeFindKnownSession } from './find-known-session.ts';

const at = new Date('2026-03-01T10:00:00.000Z');
const times = { createdAt: at, lastSeenAt: at, expiresAt: at };
const aSession = (digest: string): Session => ({
  id: 'i',
  digest,
  userId: 'u',
  device: null,
  address: null,
  ...times,
});

function setUp() {
  const state = { nowMs: 0, reads: 0, stored: new Set<string>(), isUnavailable: false };
  const find = makeFindKnownSession({
    sessions: {
      get: async (digest) => {
        state.reads += 1;
        if (state.isUnavailable) throw new UnavailableError('made unavailable by this test');
        return state.stored.has(digest) ? aSession(digest) : null;
      },
    },
    clock: { monotonicMs: () => state.nowMs },
  });
  return { state, find: (digest: string) => find(digest, '198.51.100.1') };
}

describe('makeFindKnownSession', () => {
  test('reads an unknown session again after 10 s', async () => {
    const { state, find } = setUp();
    expect(await find('a')).toBeNull();
    state.nowMs = 9_999;
    expect(await find('a')).toBeNull();
    expect(state.reads).toBe(1);
    state.stored.add('a');
    state.nowMs = 10_000;
    expect(await find('a')).toEqual(aSession('a'));
  });

  test('reads a known session each time, so that its end takes effect at once', async () => {
    const { state, find } = setUp();
    state.stored.add('a');
    for (let use = 0; use < 3; use += 1) expect(await find('a')).toEqual(aSession('a'));
    state.stored.delete('a');
    expect(await find('a')).toBeNull();
    expect(state.reads).toBe(4);
  });

  test('remembers no failure of the store', async () => {
    const { state, find } = setUp();
    state.isUnavailable = true;
    await expect(find('a')).rejects.toThrow(UnavailableError);
    state.isUnavailable = false;
    state.stored.add('a');
    expect(await find('a')).toEqual(aSession('a'));
  });

  test('remembers at most 20 000 unknown sessions, the newest', async () => {
    const { state, find } = setUp();
    for (let id = 0; id <= 20_000; id += 1) await find(`${id}`);
    const before = state.reads;
    await find('20000');
    await find('1');
    expect(state.reads).toBe(before);
    await find('0');
    expect(state.reads).toBe(before + 1);
  });
});
