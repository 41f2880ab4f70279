import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createFakeTokenStore, startMs } from './testing/fake-token-store.ts';
import { TokenCache } from './token-cache.ts';

const unavailable = new UnavailableError('the store is unavailable');

describe('a cached token', () => {
  test('is read from the store once a minute', async () => {
    const { cache, state } = createFakeTokenStore();
    expect(cache.recall('a')).toBeUndefined();
    expect(await cache.resolve('a')).toBe('value');
    expect(cache.recall('a')).toBe('value');
    expect(await cache.resolve('a')).toBe('value');
    expect(state.reads).toHaveLength(1);
    state.nowMs = 60_000;
    expect(cache.recall('a')).toBeUndefined();
    expect(await cache.resolve('a')).toBe('value');
    expect(state.reads).toHaveLength(2);
  });

  test('is refreshed in the background by a use after 45 seconds', async () => {
    const { cache, state } = createFakeTokenStore();
    await cache.resolve('a');
    state.nowMs = 45_000;
    state.response = 'newer';
    expect(cache.recall('a')).toBe('value');
    await cache.resolve('b');
    expect(cache.recall('a')).toBe('newer');
    expect(state.reads).toEqual(['a', 'a', 'b']);
  });

  test('is invalid at most a minute after the store has removed it', async () => {
    const { cache, state } = createFakeTokenStore();
    await cache.resolve('a');
    state.nowMs = 60_000;
    state.response = null;
    expect(await cache.resolve('a')).toBeNull();
  });

  test('is used while the store is unavailable, with a new read every five seconds', async () => {
    const { cache, state } = createFakeTokenStore();
    await cache.resolve('a');
    state.response = unavailable;
    state.nowMs = 3_600_000;
    expect(await cache.resolve('a')).toBe('value');
    expect(cache.recall('a')).toBe('value');
    expect(state.reads).toHaveLength(2);
    state.nowMs += 5_000;
    expect(await cache.resolve('a')).toBe('value');
    expect(state.reads).toHaveLength(3);
    state.response = null;
    state.nowMs += 5_000;
    expect(await cache.resolve('a')).toBeNull();
  });
});

describe('a cached token that is read again while the store does not respond', () => {
  test('is used after a short wait, so that the rest of the request has time left', async () => {
    const { cache, state, holdResponses } = createFakeTokenStore();
    await cache.resolve('a');
    state.nowMs = 60_000;
    state.response = 'newer';
    const releaseResponses = holdResponses();
    const startedAtMs = performance.now();
    expect(await cache.resolve('a')).toBe('value');
    expect(performance.now() - startedAtMs).toBeGreaterThan(100);
    const afterTimeout = cache.resolve('a');
    releaseResponses();
    expect(await afterTimeout).toBe('newer');
    expect(state.reads).toHaveLength(2);
  });

  test('is invalid when it has expired or was revoked during the wait', async () => {
    for (const end of ['revoked', 'expired']) {
      const { cache, state, holdResponses } = createFakeTokenStore();
      state.validUntil = new Date(startMs + 70_000);
      await cache.resolve('a');
      state.nowMs = 60_000;
      state.response = null;
      const releaseResponses = holdResponses();
      const resolution = cache.resolve('a');
      if (end === 'revoked') cache.evict('value');
      else state.nowMs = 70_000;
      setTimeout(releaseResponses, 300);
      expect(await resolution).toBeNull();
    }
  });
});

describe('an invalid token', () => {
  test('is read from the store once a minute', async () => {
    const { cache, state } = createFakeTokenStore();
    state.response = null;
    expect(await cache.resolve('a')).toBeNull();
    expect(await cache.resolve('a')).toBeNull();
    expect(state.reads).toHaveLength(1);
    state.nowMs = 60_000;
    state.response = 'a new value';
    expect(await cache.resolve('a')).toBe('a new value');
  });

  test('is not reported as invalid while the store is unavailable', async () => {
    const { cache, state } = createFakeTokenStore();
    state.response = unavailable;
    await expect(cache.resolve('a')).rejects.toBe(unavailable);
    state.response = 'value';
    expect(await cache.resolve('a')).toBe('value');
  });

  test('does not displace valid tokens, however many are tried', async () => {
    const { cache, state } = createFakeTokenStore();
    await cache.resolve('valid');
    state.response = null;
    for (let n = 0; n < 30_000; n += 1) await cache.resolve(`guess ${n}`);
    expect(cache.recall('valid')).toBe('value');
  });
});

test('at most twenty reads run at once', async () => {
  let running = 0;
  let highest = 0;
  const cache = new TokenCache<string>({
    find: async () => {
      running += 1;
      highest = Math.max(highest, running);
      await new Promise(setImmediate);
      running -= 1;
      return null;
    },
    dependsOn: () => false,
    isFresh: () => true,
    clock: { monotonicMs: () => 0, now: () => new Date(0) },
  });
  await Promise.all(Array.from({ length: 100 }, (_, n) => cache.resolve(`${n}`)));
  expect(highest).toBe(20);
});

test('resolve fails after 1.8 s in all, also if its read had to wait for other reads', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { cache, holdResponses } = createFakeTokenStore();
  holdResponses();
  const first = Array.from({ length: 20 }, (_, n) => cache.resolve(`${n}`));
  await vi.advanceTimersByTimeAsync(1_000);
  const last = cache.resolve('last').catch((error: unknown) => error);
  let hasFailed = false;
  void last.then(() => {
    hasFailed = true;
  });
  void Promise.allSettled(first);
  await vi.advanceTimersByTimeAsync(1_799);
  expect(hasFailed).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(hasFailed).toBe(true);
  expect(await last).toBeInstanceOf(UnavailableError);
});

describe('a token with an end', () => {
  const startPlus = (ms: number) => new Date(startMs + ms);

  test('is valid before its end, and not from its end on', async () => {
    const { cache, state } = createFakeTokenStore();
    state.validUntil = startPlus(10_000);
    await cache.resolve('a');
    state.nowMs = 9_999;
    expect(cache.recall('a')).toBe('value');
    state.nowMs = 10_000;
    state.response = null;
    expect(cache.recall('a')).toBeUndefined();
    expect(await cache.resolve('a')).toBeNull();
  });

  test('is cached as invalid once it has expired', async () => {
    const { cache, state } = createFakeTokenStore();
    state.validUntil = startPlus(10_000);
    await cache.resolve('a');
    state.nowMs = 10_000;
    state.response = null;
    for (let n = 0; n < 5; n += 1) expect(await cache.resolve('a')).toBeNull();
    expect(state.reads).toHaveLength(2);
  });

  test('is not used beyond its end while the store is unavailable', async () => {
    const { cache, state } = createFakeTokenStore();
    state.validUntil = startPlus(100_000);
    await cache.resolve('a');
    state.response = unavailable;
    state.nowMs = 97_000;
    expect(await cache.resolve('a')).toBe('value');
    state.nowMs = 99_999;
    expect(cache.recall('a')).toBe('value');
    state.nowMs = 100_000;
    expect(cache.recall('a')).toBeUndefined();
    await expect(cache.resolve('a')).rejects.toBe(unavailable);
  });
});
