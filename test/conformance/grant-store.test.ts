import { randomUUID } from 'node:crypto';
import { noFilter } from '@widget-service/shared/domain/event-filter.ts';
import type { Grant } from '@widget-service/shared/domain/grant.ts';
import { sha256Hex } from '@widget-service/shared/domain/token.ts';
import { createUuidV7 } from '@widget-service/shared/domain/uuid.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import type { GrantStore } from '@widget-service/shared/ports/grant-store.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { awkwardTexts, someTime } from '../drivers/builders.ts';
import { openTestBackend } from '../drivers/open-test-backend.ts';
import type { TestBackend } from '../drivers/test-backend.ts';

const later = new Date('2026-05-01T00:00:00.001Z');

const aToken = (sealedSecret: string | null = null) => ({ digest: sha256Hex(randomUUID()), sealedSecret });
const aPreviousToken = () => ({ ...aToken('sealed'), expiresAt: later });

interface Kind {
  readonly name: string;
  readonly storeOf: (backend: Backend) => GrantStore<Grant, object>;
  readonly own: object;
  /** Every member that may be changed, with another value. */
  readonly changes: object;
}

const kinds: Kind[] = [
  {
    name: 'subscriptions',
    storeOf: ({ subscriptions }) => subscriptions,
    own: { filter: noFilter },
    changes: {
      name: 'other',
      expiresAt: later,
      filter: {
        types: ['widget.created', 'widget.retired'],
        widgetIds: [randomUUID()],
        states: ['retired'],
        labels: [...awkwardTexts],
      },
    },
  },
  {
    name: 'integrations',
    storeOf: ({ integrations }) => integrations,
    own: { deduplicateByContent: true, rate: null },
    changes: { name: 'other', expiresAt: later, deduplicateByContent: false, rate: 1_000_000 },
  },
  {
    name: 'provision tokens',
    storeOf: ({ provisionTokens }) => provisionTokens,
    own: { permissions: ['widgets:create'] },
    changes: { name: 'other', expiresAt: later, permissions: [] },
  },
];

let opened: TestBackend;
beforeAll(async () => {
  opened = await openTestBackend();
});
afterAll(() => opened.dispose());

describe.each(kinds)('GrantStore of $name', ({ storeOf, own, changes }) => {
  const store = () => storeOf(opened.backend);
  const aGrant = (overrides: Partial<Grant> = {}): Grant => ({
    id: createUuidV7(),
    name: 'A grant',
    token: aToken(),
    previousToken: null,
    expiresAt: null,
    createdAt: someTime,
    lastUsedAt: null,
    ...own,
    ...overrides,
  });
  const insert = async (overrides: Partial<Grant> = {}) => {
    const grant = aGrant(overrides);
    await store().insert(grant);
    return grant;
  };

  it('gives a grant back as it was, by its id and by either digest', async () => {
    const grant = await insert({
      token: aToken('sealed: a secret'),
      previousToken: aPreviousToken(),
      expiresAt: later,
      lastUsedAt: new Date(1),
    });
    await insert();
    expect(await store().get(grant.id)).toEqual(grant);
    expect(await store().findByTokenDigest(grant.token.digest)).toEqual(grant);
    expect(await store().findByTokenDigest(grant.previousToken?.digest ?? '')).toEqual(grant);
  });

  it('gives only what is good at a time, where one is named: what has ended is read no further', async () => {
    const [at, before] = [later, new Date(later.getTime() - 1)];
    const ending = await insert({ expiresAt: later, previousToken: { ...aToken(), expiresAt: new Date(1e15) } });
    const rotated = await insert({ previousToken: aPreviousToken() });
    const digestsOf = ({ token, previousToken }: Grant) => [token.digest, previousToken?.digest ?? ''];
    const found = async (digest: string, goodAt: Date) => (await store().findByTokenDigest(digest, goodAt))?.id ?? null;
    for (const digest of digestsOf(ending)) {
      expect(await found(digest, before)).toBe(ending.id);
      expect(await found(digest, at)).toBeNull();
      expect((await store().findByTokenDigest(digest))?.id).toBe(ending.id);
    }
    const [token = '', previous = ''] = digestsOf(rotated);
    expect([await found(token, before), await found(token, at)]).toEqual([rotated.id, rotated.id]);
    expect([await found(previous, before), await found(previous, at)]).toEqual([rotated.id, null]);
  });

  it('knows none by another id or digest', async () => {
    const { id, token } = await insert();
    expect(await store().get(token.digest)).toBeNull();
    expect(await store().get(randomUUID())).toBeNull();
    expect(await store().findByTokenDigest(id)).toBeNull();
    expect(await store().findByTokenDigest('')).toBeNull();
  });

  it.each(awkwardTexts)('keeps the name %j', async (name) => {
    const grant = await insert({ name });
    expect(await store().get(grant.id)).toEqual(grant);
  });

  it('does not take a second grant with the same digest', async () => {
    const { token } = await insert();
    await expect(insert({ token })).rejects.toThrow();
  });

  it('changes what is given and nothing else, and returns it', async () => {
    const grant = await insert({ token: aToken('sealed'), previousToken: aPreviousToken(), lastUsedAt: later });
    const other = await insert();
    const one = await store().update(grant.id, { name: 'new' });
    expect(one).toEqual({ ...grant, name: 'new' });
    const all = await store().update(grant.id, changes);
    expect(all).toEqual({ ...grant, ...changes });
    expect(await store().get(grant.id)).toEqual(all);
    expect(await store().update(grant.id, {})).toEqual(all);
    expect(await store().update(grant.id, { ...own, expiresAt: null })).toEqual({ ...grant, ...own, name: 'other' });
    expect(await store().get(other.id)).toEqual(other);
  });

  it('loses no change of several at once', async () => {
    const { id } = await insert();
    const members = Object.entries(changes).map(([name, value]) => ({ [name]: value }));
    await Promise.all(members.map((change) => store().update(id, change)));
    expect(await store().get(id)).toMatchObject(changes);
  });

  it('replaces the tokens: the replaced ones find nothing any more', async () => {
    const grant = await insert({ previousToken: aPreviousToken() });
    const [token, previousToken] = [aToken('another'), { ...grant.token, expiresAt: later }];
    const replaced = { ...grant, token, previousToken };
    const replacement = { replacedDigest: grant.token.digest, token, previousToken };
    expect(await store().replaceTokens(grant.id, replacement)).toEqual(replaced);
    expect(await store().findByTokenDigest(token.digest)).toEqual(replaced);
    expect(await store().findByTokenDigest(grant.token.digest)).toEqual(replaced);
    expect(await store().findByTokenDigest(grant.previousToken?.digest ?? '')).toBeNull();
    const once = { replacedDigest: token.digest, token, previousToken: null };
    expect(await store().replaceTokens(grant.id, once)).toEqual({ ...replaced, previousToken: null });
    expect(await store().findByTokenDigest(grant.token.digest)).toBeNull();
  });

  it('lets exactly one of many replacements of one token through', async () => {
    const { id, token } = await insert();
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, () =>
        store().replaceTokens(id, { replacedDigest: token.digest, token: aToken(), previousToken: null }),
      ),
    );
    const winners = outcomes.filter((outcome) => outcome !== null);
    expect(winners).toHaveLength(1);
    expect(await store().get(id)).toEqual(winners[0]);
  });

  it('replaces no token but the one that is named: not a previous one, nor that of another grant', async () => {
    const [grant, other] = [await insert({ previousToken: aPreviousToken() }), await insert()];
    for (const replacedDigest of [grant.previousToken?.digest ?? '', other.token.digest, '']) {
      const replacement = { replacedDigest, token: aToken(), previousToken: null };
      expect(await store().replaceTokens(grant.id, replacement)).toBeNull();
    }
    expect(await store().get(grant.id)).toEqual(grant);
    expect(await store().get(other.id)).toEqual(other);
  });

  it('removes one grant and no other; what is removed is not there, whatever is asked of it', async () => {
    const [grant, other] = [await insert({ previousToken: aPreviousToken() }), await insert()];
    expect(await store().remove(grant.id)).toBe(true);
    expect(await store().remove(grant.id)).toBe(false);
    expect(await store().get(grant.id)).toBeNull();
    expect(await store().findByTokenDigest(grant.token.digest)).toBeNull();
    expect(await store().findByTokenDigest(grant.previousToken?.digest ?? '')).toBeNull();
    expect(await store().update(grant.id, { name: 'new' })).toBeNull();
    expect(await store().update(grant.id, {})).toBeNull();
    const replacement = { replacedDigest: grant.token.digest, token: aToken(), previousToken: null };
    expect(await store().replaceTokens(grant.id, replacement)).toBeNull();
    await store().recordLastUsed(grant.id, later);
    expect(await store().get(grant.id)).toBeNull();
    expect(await store().get(other.id)).toEqual(other);
  });

  it('lets exactly one of many removals have done it', async () => {
    const { id } = await insert();
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => store().remove(id)));
    expect(outcomes.filter((removed) => removed)).toHaveLength(1);
  });

  it('moves the last use forwards and never back', async () => {
    const grant = await insert();
    for (const at of [someTime, later, someTime]) await store().recordLastUsed(grant.id, at);
    expect(await store().get(grant.id)).toEqual({ ...grant, lastUsedAt: later });
  });

  it('keeps grants, and forgets removed ones, across a reopen', async () => {
    const [kept, removed] = [await insert({ previousToken: aPreviousToken() }), await insert()];
    await store().remove(removed.id);
    await opened.reopen();
    expect(await store().get(kept.id)).toEqual(kept);
    expect(await store().get(removed.id)).toBeNull();
  });
});

describe.each(kinds)('the list of $name', ({ storeOf, own }) => {
  let backend: TestBackend;
  beforeAll(async () => {
    backend = await openTestBackend();
  });
  afterAll(() => backend.dispose());

  it('is newest first, then by id, in pages that meet without a hole', async () => {
    const store = storeOf(backend.backend);
    expect(await store.list({ offset: 0, limit: 10 })).toEqual({ items: [], totalItems: 0 });
    const grants = Array.from({ length: 7 }, (_, n) => ({
      ...{ id: createUuidV7(), name: `${n}`, token: aToken(), previousToken: null },
      ...{ expiresAt: null, createdAt: new Date(someTime.getTime() + Math.floor(n / 3)), lastUsedAt: null, ...own },
    }));
    for (const grant of [...grants].sort((one, other) => one.token.digest.localeCompare(other.token.digest))) {
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
