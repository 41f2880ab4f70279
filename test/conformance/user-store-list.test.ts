import { randomUUID } from 'node:crypto';
import type { User } from '@widget-service/shared/ports/user-store.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aUser } from '../drivers/builders.ts';
import { openTestBackend } from '../drivers/open-test-backend.ts';
import type { TestBackend } from '../drivers/test-backend.ts';

describe('UserStore.list', () => {
  let store: TestBackend;
  beforeAll(async () => {
    store = await openTestBackend();
  });
  afterAll(() => store.dispose());
  const list = (offset: number, limit: number) => store.backend.users.list({ offset, limit });

  it('is empty without users', async () => {
    expect(await list(0, 10)).toEqual({ items: [], totalItems: 0 });
  });

  it('gives users newest first, those of one millisecond by id, in ranges that fit together', async () => {
    const times = [3, 1, 2, 2, 2, 4];
    const inserted = times.map((ms) => aUser({ id: randomUUID(), createdAt: new Date(1_764_000_000_000 + ms) }));
    for (const user of inserted) await store.backend.users.insert(user);
    const expected = inserted.toSorted(newestFirst);
    expect(await list(0, 10)).toEqual({ items: expected, totalItems: 6 });
    const ranges = await Promise.all([list(0, 2), list(2, 2), list(4, 2)]);
    expect(ranges.flatMap(({ items }) => items)).toEqual(expected);
    expect(await list(5, 10)).toEqual({ items: expected.slice(5), totalItems: 6 });
    expect(await list(400_000_000_000, 200)).toEqual({ items: [], totalItems: 6 });
  });
});

function newestFirst(a: User, b: User): number {
  const byTime = b.createdAt.getTime() - a.createdAt.getTime();
  return byTime === 0 ? (a.id < b.id ? 1 : -1) : byTime;
}
