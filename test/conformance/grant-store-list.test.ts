import { createUuidV7 } from '@widget-service/shared/domain/uuid.ts';
import { describe, expect, test } from 'vitest';
import { awkwardTexts, someTime } from '../drivers/app/builders.ts';
import { openSharedBackend } from '../drivers/app/open-shared.ts';
import { openTestBackend } from '../drivers/app/open-test-backend.ts';
import { requireReadable } from '../drivers/app/require-readable.ts';
import { aToken, later, storedGrantKinds } from '../drivers/app/stored-grant-kinds.ts';

describe.each(storedGrantKinds)('GrantStore.list, $name', async ({ getStore, ownMembers }) => {
  const testBackend = await openSharedBackend();
  /** The order of creation is that of `n`; three grants share a time. */
  const aGrant = (n: number, expiresAt: Date | null = null) => ({
    ...{ id: createUuidV7(), name: `${n}`, token: aToken(), tokenIssuedAt: someTime, previousToken: null, expiresAt },
    ...{
      createdAt: new Date(someTime.getTime() + Math.floor(n / 3)),
      createdBy: crypto.randomUUID(),
      lastUsedAt: null,
    },
    ...ownMembers,
  });

  test('orders grants by createdAt, then by id, both descending, in pages without holes or repeats', async () => {
    const store = getStore(testBackend.backend);
    expect(await store.list({}, { offset: 0, limit: 10 })).toEqual([]);
    expect(await store.count({}, 10)).toBe(0);
    const grants = Array.from({ length: 7 }, (_, n) => aGrant(n));
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
      expect(await store.list({}, { offset, limit })).toEqual(expected.slice(offset, offset + limit));
    }
    for (const [atMost, count] of [
      [3, 3],
      [7, 7],
      [10_000, 7],
    ] as const) {
      expect(await store.count({}, atMost)).toBe(count);
    }
  });

  test('selects the grants that expire before a time, also those that have expired', async () => {
    const otherBackend = await openTestBackend();
    const store = getStore(otherBackend.backend);
    const expiries = [null, later, new Date(later.getTime() - 1), new Date(1), new Date(later.getTime() + 1)];
    const grants = expiries.map((expiresAt, n) => aGrant(n, expiresAt));
    for (const grant of grants) await store.insert(grant);
    const expected = [grants[3], grants[2]];
    const list = (offset: number, limit: number) => store.list({ expiresBefore: later }, { offset, limit });
    expect(await list(0, 10)).toEqual(expected);
    expect(await list(1, 10)).toEqual(expected.slice(1));
    expect(await store.count({ expiresBefore: later }, 10)).toBe(2);
    expect(await store.count({}, 10)).toBe(5);
    await otherBackend.dispose();
  });

  test('selects the grants whose name contains a text: A to Z in either case, all other characters exactly', async () => {
    const otherBackend = await openTestBackend();
    const store = getStore(otherBackend.backend);
    const names = [...awkwardTexts, 'Wall screen', 'wallpaper [a-z]+', 'ÄÖ', 'äö', 'İstanbul', '\\d(1)|^$'];
    const grants = names.map((name, n) => ({ ...aGrant(n * 3), name }));
    for (const grant of grants) await store.insert(grant);
    const find = async (name: string) => {
      const found = await store.list({ name }, { offset: 0, limit: 100 });
      expect(await store.count({ name }, 100)).toBe(found.length);
      return requireReadable(found)
        .map((grant) => grant.name)
        .toReversed();
    };
    for (const name of names) expect(await find(name), name).toContain(name);
    expect(await find('WALL')).toEqual(['Wall screen', 'wallpaper [a-z]+']);
    expect(await find('äÖ')).toEqual([]);
    expect(await find('ÄÖ')).toEqual(['ÄÖ']);
    expect(await find('i\u0307stanbul')).toEqual([]);
    expect(await find('%')).toEqual(names.filter((name) => name.includes('%')));
    expect(await find('.*')).toEqual([]);
    expect(await find('[a-z]')).toEqual(['wallpaper [a-z]+']);
    expect(await store.list({ name: 'wall', createdBefore: someTime }, { offset: 0, limit: 10 })).toEqual([]);
    await otherBackend.dispose();
  });

  test('returns the current names of the grants with given ids, without ids that no grant has', async () => {
    const store = getStore(testBackend.backend);
    const grants = awkwardTexts.map((name, n) => ({ ...aGrant(n), name }));
    for (const grant of grants) await store.insert(grant);
    const [changed, removed, ...others] = grants;
    await store.update(changed?.id ?? '', { ...changed, name: 'another name' });
    await store.remove(removed?.id ?? '');
    const ids = [...grants.map(({ id }) => id), createUuidV7(), '', changed?.id ?? ''];
    expect(await store.getNames(ids)).toEqual(
      new Map([[changed?.id, 'another name'], ...others.map(({ id, name }) => [id, name] as const)]),
    );
    expect(await store.getNames([])).toEqual(new Map());
  });

  test('selects the grants that were created before a time', async () => {
    const otherBackend = await openTestBackend();
    const store = getStore(otherBackend.backend);
    const grants = Array.from({ length: 7 }, (_, n) => aGrant(n, n % 2 === 0 ? null : new Date(later.getTime() - 1)));
    for (const grant of grants) await store.insert(grant);
    const createdBefore = new Date(someTime.getTime() + 1);
    expect(await store.list({ createdBefore }, { offset: 0, limit: 10 })).toEqual(grants.slice(0, 3).reverse());
    expect(await store.count({ createdBefore }, 10)).toBe(3);
    const both = { createdBefore, expiresBefore: later };
    expect(await store.list(both, { offset: 0, limit: 10 })).toEqual([grants[1]]);
    expect(await store.count(both, 10)).toBe(1);
    expect(await store.list({ createdBefore: someTime }, { offset: 0, limit: 10 })).toEqual([]);
    await otherBackend.dispose();
  });
});
