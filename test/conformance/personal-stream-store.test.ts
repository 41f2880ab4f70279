import { randomUUID } from 'node:crypto';
import { sha256Hex } from '@widget-service/shared/domain/token.ts';
import type { PersonalStream } from '@widget-service/shared/ports/personal-stream-store.ts';
import { describe, expect, test } from 'vitest';
import { openSharedBackend } from '../drivers/app/open-shared.ts';

/** Not expired: a store may remove an expired stream at any time. */
function aStream(overrides: Partial<PersonalStream> = {}): PersonalStream {
  return {
    tokenDigest: sha256Hex(randomUUID()),
    userId: randomUUID(),
    sessionDigest: sha256Hex(randomUUID()),
    issuedAt: new Date(Date.now() - 1_003),
    expiresAt: new Date(Date.now() + 3_600_007),
    ...overrides,
  };
}

describe('PersonalStreamStore', async () => {
  const testBackend = await openSharedBackend();
  const streams = () => testBackend.backend.personalStreams;

  test('finds a stream unchanged by the digest of its token', async () => {
    const stream = aStream();
    await streams().insert(stream);
    await streams().insert(aStream({ userId: stream.userId, sessionDigest: stream.sessionDigest }));
    expect(await streams().findByTokenDigest(stream.tokenDigest)).toEqual(stream);
  });

  test('returns null for an unknown digest', async () => {
    const { sessionDigest, userId } = aStream();
    for (const digest of [sha256Hex(randomUUID()), sessionDigest, userId, '']) {
      expect(await streams().findByTokenDigest(digest)).toBeNull();
    }
  });

  test('rejects a second stream with the same token digest', async () => {
    const stream = aStream();
    await streams().insert(stream);
    await expect(streams().insert(aStream({ tokenDigest: stream.tokenDigest }))).rejects.toThrow();
    expect(await streams().findByTokenDigest(stream.tokenDigest)).toEqual(stream);
  });

  test('removeOldest keeps the newest streams of a user, and names the sessions of the removed ones', async () => {
    const userId = randomUUID();
    const now = new Date();
    // Streams that were issued at the same moment have an order, too.
    const issued = [0, 1, 2, 3, 3, 3, 4].map((ms) => aStream({ userId, issuedAt: new Date(now.getTime() - 99 + ms) }));
    const foreign = aStream({ issuedAt: new Date(0) });
    for (const stream of [...issued.toReversed(), foreign]) await streams().insert(stream);
    expect(await streams().removeOldest(userId, 7, now)).toEqual([]);
    const removed = await streams().removeOldest(userId, 2, now);
    expect(removed.toSorted()).toHaveLength(5);
    const left = await Promise.all(issued.map(({ tokenDigest }) => streams().findByTokenDigest(tokenDigest)));
    expect(left.slice(0, 3)).toEqual([null, null, null]);
    expect(left.filter((stream) => stream !== null)).toHaveLength(2);
    expect(left[6]).toEqual(issued[6]);
    const gone = issued.filter((_, n) => left[n] === null).map(({ sessionDigest }) => sessionDigest);
    expect(removed.toSorted()).toEqual(gone.toSorted());
    expect(await streams().findByTokenDigest(foreign.tokenDigest)).toEqual(foreign);
    expect(await streams().removeOldest(userId, 2, now)).toEqual([]);
  });

  test('removeOldest names a session once, and does not count expired streams', async () => {
    const { userId, sessionDigest } = aStream();
    const now = new Date();
    const at = (ms: number, expiresInMs: number) =>
      aStream({ userId, sessionDigest, issuedAt: new Date(ms), expiresAt: new Date(now.getTime() + expiresInMs) });
    const [first, second, third] = [at(1, 60_000), at(2, 60_000), at(3, 60_000)];
    for (const stream of [first, second, third, at(4, 0), at(5, -1)]) await streams().insert(stream);
    expect(await streams().removeOldest(userId, 3, now)).toEqual([]);
    expect(await streams().removeOldest(userId, 1, now)).toEqual([sessionDigest]);
    expect(await streams().findByTokenDigest(second.tokenDigest)).toBeNull();
    expect(await streams().findByTokenDigest(third.tokenDigest)).toEqual(third);
  });

  test('removeOldest leaves no more than the newest when streams are inserted and removed at once', async () => {
    const userId = randomUUID();
    const issue = async () => {
      const stream = aStream({ userId, issuedAt: new Date() });
      await streams().insert(stream);
      await streams().removeOldest(userId, 3, new Date());
      return stream.tokenDigest;
    };
    const digests = await Promise.all(Array.from({ length: 20 }, issue));
    const left = await Promise.all(digests.map((digest) => streams().findByTokenDigest(digest)));
    expect(left.filter((stream) => stream !== null)).toHaveLength(3);
  });

  test('keeps a stream that is not expired when expired ones are removed, and across a reopen', async () => {
    const stream = aStream();
    await streams().insert(stream);
    await testBackend.backend.removeExpired(new Date());
    await testBackend.reopen();
    expect(await streams().findByTokenDigest(stream.tokenDigest)).toEqual(stream);
  });
});
