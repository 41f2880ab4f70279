import type { Grant } from '@widget-service/shared/domain/grant.ts';
import { expect, test } from 'vitest';
import { createGrantTokenCache } from './token-caches.ts';

const start = Date.parse('2026-03-01T10:00:00Z');
const at = (seconds: number) => new Date(start + seconds * 1_000);

function setUp(changes: Partial<Grant>) {
  const state = { nowMs: 0, storeReads: 0 };
  const grant: Grant = {
    id: 'the grant',
    name: 'screen',
    token: { digest: 'new', sealedSecret: 'of the new' },
    previousToken: null,
    expiresAt: null,
    tokenIssuedAt: at(-100),
    createdAt: at(-100),
    createdBy: crypto.randomUUID(),
    lastUsedAt: null,
    ...changes,
  };
  const cache = createGrantTokenCache(
    {
      findByTokenDigest: async (digest) => {
        state.storeReads += 1;
        return [grant.token.digest, grant.previousToken?.digest].includes(digest) ? grant : null;
      },
    },
    { clock: { monotonicMs: () => state.nowMs, now: () => new Date(start + state.nowMs) }, isFresh: () => true },
  );
  return { cache, state };
}

test('resolves both tokens of a rotation, each with its own secret, the old one until its overlap ends', async () => {
  const { cache, state } = setUp({
    previousToken: { digest: 'old', sealedSecret: 'of the old', expiresAt: at(30) },
  });
  expect(await cache.resolve('new')).toMatchObject({
    grant: { id: 'the grant' },
    token: { sealedSecret: 'of the new' },
    validUntil: null,
  });
  expect(await cache.resolve('old')).toMatchObject({
    grant: { id: 'the grant' },
    token: { sealedSecret: 'of the old' },
    validUntil: at(30),
  });
  state.nowMs = 30_000;
  expect(await cache.resolve('old')).toBeNull();
  expect(await cache.resolve('new')).not.toBeNull();
});

test('reads an expired and an unknown token from the store equally often: once a minute', async () => {
  const { cache, state } = setUp({ expiresAt: at(-1) });
  for (const digest of ['new', 'unknown']) {
    state.storeReads = 0;
    for (let n = 0; n < 3; n += 1) expect(await cache.resolve(digest)).toBeNull();
    expect(state.storeReads).toBe(1);
  }
});

test('evicts a grant by its id, with all its tokens', async () => {
  const { cache } = setUp({ previousToken: { digest: 'old', sealedSecret: null, expiresAt: at(30) } });
  await Promise.all([cache.resolve('new'), cache.resolve('old')]);
  cache.evict('another');
  expect(cache.recall('new')).toBeDefined();
  cache.evict('the grant');
  expect(cache.recall('new')).toBeUndefined();
  expect(cache.recall('old')).toBeUndefined();
});
