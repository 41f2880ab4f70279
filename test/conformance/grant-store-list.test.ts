import { createUuidV7 } from '@widget-service/shared/domain/uuid.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { someTime } from '../drivers/builders.ts';
import { openTestBackend } from '../drivers/open-test-backend.ts';
import { aToken, storedGrantKinds } from '../drivers/stored-grant-kinds.ts';
import type { TestBackend } from '../drivers/test-backend.ts';

describe.each(storedGrantKinds)('GrantStore.list, $name', ({ getStore, ownMembers }) => {
  let testBackend: TestBackend;
  beforeAll(async () => {
    testBackend = await openTestBackend();
  });
  afterAll(() => testBackend.dispose());

  it('orders grants by createdAt, then by id, both descending, in pages without holes or repeats', async () => {
    const store = getStore(testBackend.backend);
    expect(await store.list({ offset: 0, limit: 10 })).toEqual({ items: [], totalItems: 0 });
    const grants = Array.from({ length: 7 }, (_, n) => ({
      ...{ id: createUuidV7(), name: `${n}`, token: aToken(), previousToken: null },
      ...{
        expiresAt: null,
        createdAt: new Date(someTime.getTime() + Math.floor(n / 3)),
        createdBy: null,
        lastUsedAt: null,
        ...ownMembers,
      },
    }));
    for (const grant of [...grants].sort((a, b) => a.token.digest.localeCompare(b.token.digest))) {
      await store.insert(grant);
    }
    const expected = grants.toReversed();
    for (const [offset, limit] of [
      [0, 3],
      [3, 3],
      [6, 3],
      [9, 3],
      [0, 7],
    ] as const) {
      const page = await store.list({ offset, limit });
      expect(page).toEqual({ items: expected.slice(offset, offset + limit), totalItems: 7 });
    }
  });
});
