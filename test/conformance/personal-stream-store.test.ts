import { randomUUID } from 'node:crypto';
import { sha256Hex } from '@widget-service/shared/domain/token.ts';
import type { PersonalStream } from '@widget-service/shared/ports/personal-stream-store.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestBackend } from '../drivers/open-test-backend.ts';
import type { TestBackend } from '../drivers/test-backend.ts';

/** One that is not over: a store may remove one that is at any time. */
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
  let store: TestBackend;
  beforeAll(async () => {
    store = await openTestBackend();
  });
  afterAll(() => store.dispose());
  const streams = () => store.backend.personalStreams;

  it('gives a stream back as it was, to the millisecond', async () => {
    const stream = aStream();
    await streams().insert(stream);
    await streams().insert(aStream({ userId: stream.userId, sessionDigest: stream.sessionDigest }));
    expect(await streams().findByTokenDigest(stream.tokenDigest)).toEqual(stream);
  });

  it('knows none by another digest', async () => {
    const { sessionDigest, userId } = aStream();
    for (const digest of [sha256Hex(randomUUID()), sessionDigest, userId, '']) {
      expect(await streams().findByTokenDigest(digest)).toBeNull();
    }
  });

  it('does not take a second one with the same token', async () => {
    const stream = aStream();
    await streams().insert(stream);
    await expect(streams().insert(aStream({ tokenDigest: stream.tokenDigest }))).rejects.toThrow();
    expect(await streams().findByTokenDigest(stream.tokenDigest)).toEqual(stream);
  });

  it('keeps one that is not over when what is expired is removed, and across a reopen', async () => {
    const stream = aStream();
    await streams().insert(stream);
    await store.backend.removeExpired(new Date());
    await store.reopen();
    expect(await streams().findByTokenDigest(stream.tokenDigest)).toEqual(stream);
  });
});
