import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { describe, expect, test } from 'vitest';
import { createFakeTokenStore } from './testing/fake-token-store.ts';
import { TokenCache } from './token-cache.ts';

const away = new UnavailableError('the store is away');

describe('an eviction', () => {
  test('has what it concerns asked for again, and nothing else', async () => {
    const { cache, state } = createFakeTokenStore();
    for (const name of ['one', 'two']) {
      state.answer = name;
      await cache.resolve(`token of ${name}`);
    }
    cache.evict('one');
    expect(cache.recall('token of one')).toBeUndefined();
    expect(cache.recall('token of two')).toBe('two');
    state.answer = null;
    expect(await cache.resolve('token of one')).toBeNull();
  });

  test('leaves nothing behind, also while the store is away', async () => {
    const { cache, state } = createFakeTokenStore();
    await cache.resolve('a');
    state.answer = away;
    cache.evict('value');
    await expect(cache.resolve('a')).rejects.toBe(away);
  });

  test('of everything has everything asked for again, but what was known stays known while the store is away', async () => {
    const { cache, state } = createFakeTokenStore();
    await cache.resolve('a');
    await cache.resolve('b');
    cache.suspectAll();
    expect(cache.recall('a')).toBeUndefined();
    state.answer = away;
    expect(await cache.resolve('a')).toBe('value');
    state.answer = null;
    expect(await cache.resolve('b')).toBeNull();
  });

  test('of everything does not have a store waited for without end that hangs', async () => {
    const { cache, state, holdAnswers } = createFakeTokenStore();
    await cache.resolve('a');
    state.answer = null;
    const answer = holdAnswers();
    cache.suspectAll();
    expect(await cache.resolve('a')).toBe('value');
    answer();
    await new Promise(setImmediate);
    expect(await cache.resolve('a')).toBeNull();
  });

  test.each(['evict', 'suspectAll'] as const)(
    '(%s) makes a token good that had been unknown, if it is now',
    async (how) => {
      const { cache, state } = createFakeTokenStore();
      state.answer = null;
      expect(await cache.resolve('a')).toBeNull();
      state.answer = 'its end was put off';
      if (how === 'evict') cache.evict('some id');
      else cache.suspectAll();
      expect(await cache.resolve('a')).toBe('its end was put off');
    },
  );

  test.each(['evict', 'suspectAll'] as const)('(%s) overtakes a look-up: its answer is not used', async (how) => {
    const { cache, state, holdAnswers } = createFakeTokenStore();
    const deliver = holdAnswers();
    const before = cache.resolve('a');
    await new Promise(setImmediate);
    expect(state.asked).toHaveLength(1);
    state.answer = null;
    cache[how]('value');
    const after = cache.resolve('a');
    deliver();
    expect(await before).toBeNull();
    expect(await after).toBeNull();
    expect(cache.recall('a')).toBeUndefined();
    expect(state.asked).toHaveLength(2);
  });

  test('overtakes a refresh in the background too', async () => {
    const { cache, state, holdAnswers } = createFakeTokenStore();
    await cache.resolve('a');
    state.nowMs = 45_000;
    const deliver = holdAnswers();
    expect(cache.recall('a')).toBe('value');
    await new Promise(setImmediate);
    expect(state.asked).toHaveLength(2);
    state.answer = null;
    cache.evict('value');
    deliver();
    expect(await cache.resolve('a')).toBeNull();
    expect(cache.recall('a')).toBeUndefined();
  });

  test('after eviction after eviction an answer comes all the same, but is not remembered', async () => {
    let asked = 0;
    const cache: TokenCache<string> = new TokenCache({
      find: async () => {
        asked += 1;
        cache.evict('another');
        return { value: 'value', validUntil: null };
      },
      concerns: (value, id) => value === id,
      isFresh: () => true,
      clock: { monotonicMs: () => 0, now: () => new Date(0) },
    });
    expect(await cache.resolve('a')).toBe('value');
    expect(cache.recall('a')).toBeUndefined();
    expect(asked).toBeLessThan(5);
  });
});

describe('while it is not known what was revoked', () => {
  test('what was read longer than two seconds ago is asked for again, what was read just now is not', async () => {
    const { cache, state } = createFakeTokenStore();
    await cache.resolve('a');
    state.isCurrent = false;
    state.nowMs = 2_000;
    expect(cache.recall('a')).toBe('value');
    state.nowMs = 2_001;
    expect(cache.recall('a')).toBeUndefined();
    expect(await cache.resolve('a')).toBe('value');
    expect(cache.recall('a')).toBe('value');
    expect(state.asked).toHaveLength(2);
    state.nowMs = 10_000;
    state.isCurrent = true;
    expect(cache.recall('a')).toBe('value');
  });

  test('what was known stays known while the store is away', async () => {
    const { cache, state } = createFakeTokenStore();
    await cache.resolve('a');
    state.isCurrent = false;
    state.nowMs = 10_000;
    state.answer = away;
    expect(await cache.resolve('a')).toBe('value');
  });
});

describe('a token that may have been revoked unheard', () => {
  type Store = ReturnType<typeof createFakeTokenStore>;
  const evicted = ({ cache }: Store) => cache.suspectAll();
  const notCurrent = ({ state }: Store) => {
    state.isCurrent = false;
  };

  test.each([
    ['everything was evicted', 'before it is asked for', evicted],
    ['everything was evicted', 'while it is waited for', evicted],
    ['knowledge of revocations is old', 'before it is asked for', notCurrent],
    ['knowledge of revocations is old', 'while it is waited for', notCurrent],
  ])('is waited for, also when the store is slow: %s %s', async (_, when, bringIntoDoubt) => {
    const store = createFakeTokenStore();
    const { cache, state, holdAnswers } = store;
    await cache.resolve('a');
    state.nowMs = 60_000;
    state.answer = null;
    const answer = holdAnswers();
    if (when === 'before it is asked for') bringIntoDoubt(store);
    const asked = cache.resolve('a');
    if (when === 'while it is waited for') bringIntoDoubt(store);
    setTimeout(answer, 300);
    expect(await asked).toBeNull();
  });
});
