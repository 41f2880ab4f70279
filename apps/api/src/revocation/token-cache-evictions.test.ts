import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { describe, expect, test } from 'vitest';
import { createFakeTokenStore } from './testing/fake-token-store.ts';
import { TokenCache } from './token-cache.ts';

const unavailable = new UnavailableError('the store is unavailable');

describe('evict and suspectAll', () => {
  test('evict removes the dependent entries, and no others', async () => {
    const { cache, state } = createFakeTokenStore();
    for (const name of ['one', 'two']) {
      state.response = name;
      await cache.resolve(`token of ${name}`);
    }
    cache.evict('one');
    expect(cache.recall('token of one')).toBeUndefined();
    expect(cache.recall('token of two')).toBe('two');
    state.response = null;
    expect(await cache.resolve('token of one')).toBeNull();
  });

  test('an evicted entry is not used while the store is unavailable', async () => {
    const { cache, state } = createFakeTokenStore();
    await cache.resolve('a');
    state.response = unavailable;
    cache.evict('value');
    await expect(cache.resolve('a')).rejects.toBe(unavailable);
  });

  test('suspectAll causes every entry to be read again, but keeps it while the store is unavailable', async () => {
    const { cache, state } = createFakeTokenStore();
    await cache.resolve('a');
    await cache.resolve('b');
    cache.suspectAll();
    expect(cache.recall('a')).toBeUndefined();
    state.response = unavailable;
    expect(await cache.resolve('a')).toBe('value');
    state.response = null;
    expect(await cache.resolve('b')).toBeNull();
  });

  test('a suspect entry is used when the store does not respond in time', async () => {
    const { cache, state, holdResponses } = createFakeTokenStore();
    await cache.resolve('a');
    state.response = null;
    const releaseResponses = holdResponses();
    cache.suspectAll();
    expect(await cache.resolve('a')).toBe('value');
    releaseResponses();
    await new Promise(setImmediate);
    expect(await cache.resolve('a')).toBeNull();
  });

  test('for 15 s after an eviction, what a read finds of its id is used for 1 s only: it may be stale', async () => {
    const { cache, state } = createFakeTokenStore();
    cache.evict('value');
    for (const nowMs of [100, 5_000, 12_000]) {
      state.nowMs = nowMs;
      state.response = 'value';
      expect(await cache.resolve('a')).toBe('value');
      state.response = null;
      state.nowMs = nowMs + 999;
      expect(cache.recall('a')).toBe('value');
      state.nowMs = nowMs + 1_000;
      expect(cache.recall('a')).toBeUndefined();
      expect(await cache.resolve('a')).toBeNull();
      // It may be valid again.
      state.response = 'value';
      state.nowMs = nowMs + 2_000;
      expect(await cache.resolve('a')).toBe('value');
    }
    state.nowMs = 20_000;
    await cache.resolve('a');
    state.nowMs = 60_000;
    expect(cache.recall('a')).toBe('value');
  });

  test('an eviction shortens the cache of no other id', async () => {
    const { cache, state } = createFakeTokenStore();
    cache.evict('another');
    await cache.resolve('a');
    state.nowMs = 40_000;
    expect(cache.recall('a')).toBe('value');
  });

  test.each(['evict', 'suspectAll'] as const)('%s causes an invalid token to be read again', async (method) => {
    const { cache, state } = createFakeTokenStore();
    state.response = null;
    expect(await cache.resolve('a')).toBeNull();
    state.response = 'valid again';
    if (method === 'evict') cache.evict('some id');
    else cache.suspectAll();
    expect(await cache.resolve('a')).toBe('valid again');
  });

  test.each(['evict', 'suspectAll'] as const)(
    '%s during a read causes another read, whose result is used',
    async (method) => {
      const { cache, state, holdResponses } = createFakeTokenStore();
      const releaseResponses = holdResponses();
      const before = cache.resolve('a');
      await new Promise(setImmediate);
      expect(state.reads).toHaveLength(1);
      state.response = null;
      cache[method]('value');
      const after = cache.resolve('a');
      releaseResponses();
      expect(await before).toBeNull();
      expect(await after).toBeNull();
      expect(cache.recall('a')).toBeUndefined();
      expect(state.reads).toHaveLength(2);
    },
  );

  test('evict during a background refresh removes the entry', async () => {
    const { cache, state, holdResponses } = createFakeTokenStore();
    await cache.resolve('a');
    state.nowMs = 45_000;
    const releaseResponses = holdResponses();
    expect(cache.recall('a')).toBe('value');
    await new Promise(setImmediate);
    expect(state.reads).toHaveLength(2);
    state.response = null;
    cache.evict('value');
    releaseResponses();
    expect(await cache.resolve('a')).toBeNull();
    expect(cache.recall('a')).toBeUndefined();
  });

  test('an eviction during every read limits the attempts, and the result is not cached', async () => {
    let reads = 0;
    const cache: TokenCache<string> = new TokenCache({
      find: async () => {
        reads += 1;
        cache.evict('another');
        return { value: 'value', validUntil: null };
      },
      dependsOn: (value, id) => value === id,
      isFresh: () => true,
      clock: { monotonicMs: () => 0, now: () => new Date(0) },
    });
    expect(await cache.resolve('a')).toBe('value');
    expect(cache.recall('a')).toBeUndefined();
    expect(reads).toBeLessThan(5);
  });
});

describe('while the pod is not fresh', () => {
  test('an entry older than two seconds is read again, a newer one is used', async () => {
    const { cache, state } = createFakeTokenStore();
    await cache.resolve('a');
    state.isFresh = false;
    state.nowMs = 2_000;
    expect(cache.recall('a')).toBe('value');
    state.nowMs = 2_001;
    expect(cache.recall('a')).toBeUndefined();
    expect(await cache.resolve('a')).toBe('value');
    expect(cache.recall('a')).toBe('value');
    expect(state.reads).toHaveLength(2);
    state.nowMs = 10_000;
    state.isFresh = true;
    expect(cache.recall('a')).toBe('value');
  });

  test('an entry is used while the store is unavailable', async () => {
    const { cache, state } = createFakeTokenStore();
    await cache.resolve('a');
    state.isFresh = false;
    state.nowMs = 10_000;
    state.response = unavailable;
    expect(await cache.resolve('a')).toBe('value');
  });
});

describe('a token that may have been revoked without the pod’s knowledge', () => {
  type Store = ReturnType<typeof createFakeTokenStore>;
  const suspectAll = ({ cache }: Store) => cache.suspectAll();
  const endFreshness = ({ state }: Store) => {
    state.isFresh = false;
  };

  test.each([
    ['suspectAll', 'before the read', suspectAll],
    ['suspectAll', 'during the read', suspectAll],
    ['the pod is no longer fresh', 'before the read', endFreshness],
    ['the pod is no longer fresh', 'during the read', endFreshness],
  ])('is not used before a slow store has responded: %s %s', async (_, when, makeSuspect) => {
    const store = createFakeTokenStore();
    const { cache, state, holdResponses } = store;
    await cache.resolve('a');
    state.nowMs = 60_000;
    state.response = null;
    const releaseResponses = holdResponses();
    if (when === 'before the read') makeSuspect(store);
    const resolution = cache.resolve('a');
    if (when === 'during the read') makeSuspect(store);
    setTimeout(releaseResponses, 300);
    expect(await resolution).toBeNull();
  });
});
