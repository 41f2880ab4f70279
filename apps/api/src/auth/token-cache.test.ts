import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createFakeTokenStore, startMs } from './testing/fake-token-store.ts';
import { TokenCache } from './token-cache.ts';

const away = new UnavailableError('the store is away');

describe('a known token', () => {
  test('is asked for once a minute', async () => {
    const { cache, state } = createFakeTokenStore();
    expect(cache.recall('a')).toBeUndefined();
    expect(await cache.resolve('a')).toBe('value');
    expect(cache.recall('a')).toBe('value');
    expect(await cache.resolve('a')).toBe('value');
    expect(state.asked).toHaveLength(1);
    state.nowMs = 60_000;
    expect(cache.recall('a')).toBeUndefined();
    expect(await cache.resolve('a')).toBe('value');
    expect(state.asked).toHaveLength(2);
  });

  test('in use is refreshed before its minute is over, and nobody waits', async () => {
    const { cache, state } = createFakeTokenStore();
    await cache.resolve('a');
    state.nowMs = 45_000;
    state.answer = 'newer';
    expect(cache.recall('a')).toBe('value');
    await cache.resolve('b');
    expect(cache.recall('a')).toBe('newer');
    expect(state.asked).toEqual(['a', 'a', 'b']);
  });

  test('that is gone is unknown a minute later at the latest', async () => {
    const { cache, state } = createFakeTokenStore();
    await cache.resolve('a');
    state.nowMs = 60_000;
    state.answer = null;
    expect(await cache.resolve('a')).toBeNull();
  });

  test('stays known while the store is away, which is then asked every five seconds', async () => {
    const { cache, state } = createFakeTokenStore();
    await cache.resolve('a');
    state.answer = away;
    state.nowMs = 3_600_000;
    expect(await cache.resolve('a')).toBe('value');
    expect(cache.recall('a')).toBe('value');
    expect(state.asked).toHaveLength(2);
    state.nowMs += 5_000;
    expect(await cache.resolve('a')).toBe('value');
    expect(state.asked).toHaveLength(3);
    state.answer = null;
    state.nowMs += 5_000;
    expect(await cache.resolve('a')).toBeNull();
  });
});

describe('a known token that is asked for while the store gives no answer', () => {
  test('is not waited for, so that there is time left for what is done with it', async () => {
    const { cache, state, holdAnswers } = createFakeTokenStore();
    await cache.resolve('a');
    state.nowMs = 60_000;
    state.answer = 'newer';
    const answer = holdAnswers();
    const startedAtMs = performance.now();
    expect(await cache.resolve('a')).toBe('value');
    expect(performance.now() - startedAtMs).toBeGreaterThan(100);
    const late = cache.resolve('a');
    answer();
    expect(await late).toBe('newer');
    expect(state.asked).toHaveLength(2);
  });

  test('is unknown when it has ended or was revoked meanwhile', async () => {
    for (const end of ['revoked', 'ended']) {
      const { cache, state, holdAnswers } = createFakeTokenStore();
      state.validUntil = new Date(startMs + 70_000);
      await cache.resolve('a');
      state.nowMs = 60_000;
      state.answer = null;
      const answer = holdAnswers();
      const asked = cache.resolve('a');
      if (end === 'revoked') cache.evict('value');
      else state.nowMs = 70_000;
      setTimeout(answer, 300);
      expect(await asked).toBeNull();
    }
  });
});

describe('an unknown token', () => {
  test('is asked for once a minute', async () => {
    const { cache, state } = createFakeTokenStore();
    state.answer = null;
    expect(await cache.resolve('a')).toBeNull();
    expect(await cache.resolve('a')).toBeNull();
    expect(state.asked).toHaveLength(1);
    state.nowMs = 60_000;
    state.answer = 'issued meanwhile';
    expect(await cache.resolve('a')).toBe('issued meanwhile');
  });

  test('is not called unknown while the store is away', async () => {
    const { cache, state } = createFakeTokenStore();
    state.answer = away;
    await expect(cache.resolve('a')).rejects.toBe(away);
    state.answer = 'value';
    expect(await cache.resolve('a')).toBe('value');
  });

  test('does not displace known ones, however many come', async () => {
    const { cache, state } = createFakeTokenStore();
    await cache.resolve('known');
    state.answer = null;
    for (let n = 0; n < 30_000; n += 1) await cache.resolve(`guess ${n}`);
    expect(cache.recall('known')).toBe('value');
  });
});

test('those who ask at the same time share one look-up', async () => {
  const { cache, state } = createFakeTokenStore();
  const answers = await Promise.all(Array.from({ length: 50 }, () => cache.resolve('a')));
  expect(new Set(answers)).toEqual(new Set(['value']));
  expect(state.asked).toHaveLength(1);
});

test('at most twenty look-ups run at once', async () => {
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
    concerns: () => false,
    isFresh: () => true,
    clock: { monotonicMs: () => 0, now: () => new Date(0) },
  });
  await Promise.all(Array.from({ length: 100 }, (_, n) => cache.resolve(`${n}`)));
  expect(highest).toBe(20);
});

test('a token whose turn comes late is refused as early as any other', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { cache, holdAnswers } = createFakeTokenStore();
  holdAnswers();
  const first = Array.from({ length: 20 }, (_, n) => cache.resolve(`${n}`));
  await vi.advanceTimersByTimeAsync(1_000);
  const last = cache.resolve('last').catch((error: unknown) => error);
  let isRefused = false;
  void last.then(() => {
    isRefused = true;
  });
  void Promise.allSettled(first);
  await vi.advanceTimersByTimeAsync(1_799);
  expect(isRefused).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(isRefused).toBe(true);
  expect(await last).toBeInstanceOf(UnavailableError);
});

describe('a token that ends', () => {
  const endsAfter = (ms: number) => new Date(startMs + ms);

  test('is good until then, and not a moment longer', async () => {
    const { cache, state } = createFakeTokenStore();
    state.validUntil = endsAfter(10_000);
    await cache.resolve('a');
    state.nowMs = 9_999;
    expect(cache.recall('a')).toBe('value');
    state.nowMs = 10_000;
    state.answer = null;
    expect(cache.recall('a')).toBeUndefined();
    expect(await cache.resolve('a')).toBeNull();
  });

  test('is remembered as unknown like any other, once it has ended', async () => {
    const { cache, state } = createFakeTokenStore();
    state.validUntil = endsAfter(10_000);
    await cache.resolve('a');
    state.nowMs = 10_000;
    state.answer = null;
    for (let n = 0; n < 5; n += 1) expect(await cache.resolve('a')).toBeNull();
    expect(state.asked).toHaveLength(2);
  });

  test('is not known beyond its end while the store is away', async () => {
    const { cache, state } = createFakeTokenStore();
    state.validUntil = endsAfter(100_000);
    await cache.resolve('a');
    state.answer = away;
    state.nowMs = 97_000;
    expect(await cache.resolve('a')).toBe('value');
    state.nowMs = 99_999;
    expect(cache.recall('a')).toBe('value');
    state.nowMs = 100_000;
    expect(cache.recall('a')).toBeUndefined();
    await expect(cache.resolve('a')).rejects.toBe(away);
  });
});
