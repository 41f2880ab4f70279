import { randomUUID } from 'node:crypto';
import { sha256Hex } from '@widget-service/shared/domain/token.ts';
import type { PersonalStream } from '@widget-service/shared/ports/personal-stream-store.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestBackend } from '../drivers/open-test-backend.ts';
import type { TestBackend } from '../drivers/test-backend.ts';

/** Not expired: a store may remove an expired stream at any time. */
function aStream(overrides: Partial<PersonalStream> = {}): PersonalStream {
  return {
    tokenDigest: sha256Hex(randomUUID()),
    userId: randomUUID(),
    sessionDigest: sha256Hex(randomUUID()),
    expiresAt: new Date(Date.now() + 3_600_007),
    ...overrides,
  };
}

describe('PersonalStreamStore', () => {
  let testBackend: TestBackend;
  beforeAll(async () => {
    testBackend = await openTestBackend();
  });
  afterAll(() => testBackend.dispose());
  const streams = () => testBackend.backend.personalStreams;

  it('finds a stream unchanged by the digest of its token', async () => {
    const stream = aStream();
    await streams().insert(stream);
    await streams().insert(aStream({ userId: stream.userId, sessionDigest: stream.sessionDigest }));
    expect(await streams().findByTokenDigest(stream.tokenDigest)).toEqual(stream);
  });

  it('returns null for an unknown digest', async () => {
    const { sessionDigest, userId } = aStream();
    for (const digest of [sha256Hex(randomUUID()), sessionDigest, userId, '']) {
      expect(await streams().findByTokenDigest(digest)).toBeNull();
    }
  });

  it('rejects a second stream with the same token digest', async () => {
    const stream = aStream();
    await streams().insert(stream);
    await expect(streams().insert(aStream({ tokenDigest: stream.tokenDigest }))).rejects.toThrow();
    expect(await streams().findByTokenDigest(stream.tokenDigest)).toEqual(stream);
  });

  it('keeps a stream that is not expired when expired ones are removed, and across a reopen', async () => {
    const stream = aStream();
    await streams().insert(stream);
    await testBackend.backend.removeExpired(new Date());
    await testBackend.reopen();
    expect(await streams().findByTokenDigest(stream.tokenDigest)).toEqual(stream);
  });
});
