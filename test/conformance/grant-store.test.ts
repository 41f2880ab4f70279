import { randomUUID } from 'node:crypto';
import type { Grant } from '@widget-service/shared/domain/grant.ts';
import { createUuidV7 } from '@widget-service/shared/domain/uuid.ts';
import { describe, expect, test } from 'vitest';
import { awkwardTexts, someTime } from '../drivers/app/builders.ts';
import { openSharedBackend } from '../drivers/app/open-shared.ts';
import { aPreviousToken, aToken, storedGrantKinds as kinds, later } from '../drivers/app/stored-grant-kinds.ts';

const sharedBackend = await openSharedBackend();

describe.each(kinds)('GrantStore, $name', ({ getStore, ownMembers, changes }) => {
  const store = () => getStore(sharedBackend.backend);
  const aGrant = (overrides: Partial<Grant> = {}): Grant => ({
    id: createUuidV7(),
    name: 'A grant',
    token: aToken(),
    previousToken: null,
    expiresAt: null,
    tokenIssuedAt: someTime,
    createdAt: someTime,
    createdBy: randomUUID(),
    lastUsedAt: null,
    ...ownMembers,
    ...overrides,
  });
  const insert = async (overrides: Partial<Grant> = {}) => {
    const grant = aGrant(overrides);
    await store().insert(grant);
    return grant;
  };

  test('finds a grant unchanged by its id and by the digest of either token', async () => {
    const grant = await insert({
      token: aToken('sealed: a secret'),
      previousToken: aPreviousToken(),
      expiresAt: later,
      createdBy: randomUUID(),
      lastUsedAt: new Date(1),
    });
    await insert();
    expect(await store().get(grant.id)).toEqual(grant);
    expect(await store().findByTokenDigest(grant.token.digest)).toEqual(grant);
    expect(await store().findByTokenDigest(grant.previousToken?.digest ?? '')).toEqual(grant);
  });

  test('findByTokenDigest returns only grants whose token is valid at validAt', async () => {
    const [expiry, before] = [later, new Date(later.getTime() - 1)];
    const ending = await insert({
      expiresAt: later,
      previousToken: { ...aToken(), expiresAt: new Date('9999-12-31') },
    });
    const rotated = await insert({ previousToken: aPreviousToken() });
    const getDigests = ({ token, previousToken }: Grant) => [token.digest, previousToken?.digest ?? ''];
    const findId = async (digest: string, validAt: Date) =>
      (await store().findByTokenDigest(digest, validAt))?.id ?? null;
    for (const digest of getDigests(ending)) {
      expect(await findId(digest, before)).toBe(ending.id);
      expect(await findId(digest, expiry)).toBeNull();
      expect((await store().findByTokenDigest(digest))?.id).toBe(ending.id);
    }
    const [token = '', previous = ''] = getDigests(rotated);
    expect([await findId(token, before), await findId(token, expiry)]).toEqual([rotated.id, rotated.id]);
    expect([await findId(previous, before), await findId(previous, expiry)]).toEqual([rotated.id, null]);
  });

  test('returns null for an unknown id or digest', async () => {
    const { id, token } = await insert();
    expect(await store().get(token.digest)).toBeNull();
    expect(await store().get(randomUUID())).toBeNull();
    expect(await store().findByTokenDigest(id)).toBeNull();
    expect(await store().findByTokenDigest('')).toBeNull();
  });

  test.each(awkwardTexts)('keeps the name %j unchanged', async (name) => {
    const grant = await insert({ name });
    expect(await store().get(grant.id)).toEqual(grant);
  });

  test('insert rejects a second grant with the same token digest', async () => {
    const { token } = await insert();
    await expect(insert({ token })).rejects.toThrow();
  });

  test('update changes the given members only, and returns the changed grant', async () => {
    const grant = await insert({ token: aToken('sealed'), previousToken: aPreviousToken(), lastUsedAt: later });
    const other = await insert();
    const renamed = await store().update(grant.id, { name: 'new' });
    expect(renamed).toEqual({ ...grant, name: 'new' });
    const changed = await store().update(grant.id, changes);
    expect(changed).toEqual({ ...grant, ...changes });
    expect(await store().get(grant.id)).toEqual(changed);
    expect(await store().update(grant.id, {})).toEqual(changed);
    expect(await store().update(grant.id, { ...ownMembers, expiresAt: null })).toEqual({
      ...grant,
      ...ownMembers,
      name: 'other',
    });
    expect(await store().get(other.id)).toEqual(other);
  });

  test('update loses no change when several run at once', async () => {
    const { id } = await insert();
    const members = Object.entries(changes).map(([name, value]) => ({ [name]: value }));
    await Promise.all(members.map((change) => store().update(id, change)));
    expect(await store().get(id)).toMatchObject(changes);
  });

  test('replaceTokens replaces both tokens, and the old digests find nothing', async () => {
    const grant = await insert({ previousToken: aPreviousToken() });
    const [token, previousToken] = [aToken('another'), { ...grant.token, expiresAt: later }];
    const replaced = { ...grant, token, tokenIssuedAt: later, previousToken };
    const replacement = { replaced: grant, token, tokenIssuedAt: later, previousToken };
    expect(await store().replaceTokens(grant.id, replacement)).toEqual(replaced);
    expect(await store().findByTokenDigest(token.digest)).toEqual(replaced);
    expect(await store().findByTokenDigest(grant.token.digest)).toEqual(replaced);
    expect(await store().findByTokenDigest(grant.previousToken?.digest ?? '')).toBeNull();
    const withoutPrevious = { replaced, token, tokenIssuedAt: later, previousToken: null };
    expect(await store().replaceTokens(grant.id, withoutPrevious)).toEqual({ ...replaced, previousToken: null });
    expect(await store().findByTokenDigest(grant.token.digest)).toBeNull();
  });

  test('replaceTokens succeeds exactly once when several replace the same token at once', async () => {
    const grant = await insert();
    const { id } = grant;
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, () =>
        store().replaceTokens(id, {
          replaced: grant,
          token: aToken(),
          tokenIssuedAt: later,
          previousToken: null,
        }),
      ),
    );
    const winners = outcomes.filter((outcome) => outcome !== null);
    expect(winners).toHaveLength(1);
    expect(await store().get(id)).toEqual(winners[0]);
  });

  test('replaceTokens also replaces the expiry, if it is still the given one', async () => {
    const replacement = { token: aToken(), tokenIssuedAt: later, previousToken: null };
    for (const [expiresAt, other] of [
      [null, later],
      [later, null],
    ] as const) {
      const grant = await insert({ expiresAt });
      const replace = (replaced: Date | null) => {
        const token = aToken();
        return store().replaceTokens(grant.id, {
          ...replacement,
          replaced: grant,
          token,
          expiry: { replaced, value: other },
        });
      };
      expect(await replace(other)).toBeNull();
      expect(await store().get(grant.id)).toEqual(grant);
      expect(await replace(expiresAt)).toMatchObject({ expiresAt: other, tokenIssuedAt: later });
    }
  });

  test('replaceTokens changes nothing unless both tokens and their secrets are still those that were read', async () => {
    const other = await insert();
    for (const previousToken of [null, aPreviousToken()]) {
      const grant = await insert({ token: aToken('sealed'), previousToken });
      const { token } = grant;
      for (const replaced of [
        other,
        { ...grant, token: { ...token, digest: '' } },
        { ...grant, token: { ...token, sealedSecret: 'sealed again' } },
        { ...grant, token: { ...token, sealedSecret: null } },
        { ...grant, previousToken: previousToken === null ? aPreviousToken() : null },
        { ...grant, previousToken: { ...(previousToken ?? aPreviousToken()), sealedSecret: null } },
        { ...grant, previousToken: { ...(previousToken ?? token), digest: token.digest } },
      ]) {
        const replacement = { replaced, token: aToken(), tokenIssuedAt: later, previousToken: null };
        expect(await store().replaceTokens(grant.id, replacement)).toBeNull();
      }
      expect(await store().get(grant.id)).toEqual(grant);
    }
    expect(await store().get(other.id)).toEqual(other);
  });

  test('endPreviousToken ends the previous token with the given digest, and keeps everything else', async () => {
    const [grant, other] = [await insert({ previousToken: aPreviousToken() }), await insert()];
    const digest = grant.previousToken?.digest ?? '';
    for (const wrong of [grant.token.digest, '']) expect(await store().endPreviousToken(grant.id, wrong)).toBe(false);
    expect(await store().endPreviousToken(other.id, digest)).toBe(false);
    expect(await store().get(grant.id)).toEqual(grant);
    expect(await store().endPreviousToken(grant.id, digest)).toBe(true);
    expect(await store().endPreviousToken(grant.id, digest)).toBe(false);
    expect(await store().get(grant.id)).toEqual({ ...grant, previousToken: null });
    expect(await store().findByTokenDigest(digest)).toBeNull();
    expect(await store().get(other.id)).toEqual(other);
  });

  test('remove deletes exactly one grant, and every method treats it as unknown afterwards', async () => {
    const [grant, other] = [await insert({ previousToken: aPreviousToken() }), await insert()];
    expect(await store().remove(grant.id)).toBe(true);
    expect(await store().remove(grant.id)).toBe(false);
    expect(await store().get(grant.id)).toBeNull();
    expect(await store().findByTokenDigest(grant.token.digest)).toBeNull();
    expect(await store().findByTokenDigest(grant.previousToken?.digest ?? '')).toBeNull();
    expect(await store().update(grant.id, { name: 'new' })).toBeNull();
    expect(await store().update(grant.id, {})).toBeNull();
    const replacement = {
      replaced: grant,
      token: aToken(),
      tokenIssuedAt: later,
      previousToken: null,
    };
    expect(await store().replaceTokens(grant.id, replacement)).toBeNull();
    expect(await store().endPreviousToken(grant.id, grant.previousToken?.digest ?? '')).toBe(false);
    await store().recordLastUsed(grant.id, later);
    expect(await store().get(grant.id)).toBeNull();
    expect(await store().get(other.id)).toEqual(other);
  });

  test('remove returns true exactly once when several run at once', async () => {
    const { id } = await insert();
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => store().remove(id)));
    expect(outcomes.filter((wasRemoved) => wasRemoved)).toHaveLength(1);
  });

  test('recordLastUsed never sets an earlier time', async () => {
    const grant = await insert();
    for (const at of [someTime, later, someTime]) await store().recordLastUsed(grant.id, at);
    expect(await store().get(grant.id)).toEqual({ ...grant, lastUsedAt: later });
  });

  test('remove deletes a grant whose last use is being recorded at the same time', async () => {
    const remove = async () => {
      const { id } = await insert();
      const recorded = Array.from({ length: 5 }, () => store().recordLastUsed(id, someTime));
      const isRemoved = await store().remove(id);
      await Promise.all(recorded);
      return { isRemoved, found: await store().get(id) };
    };
    for (let round = 0; round < 30; round += 1) {
      const outcomes = await Promise.all(Array.from({ length: 5 }, remove));
      expect(outcomes).toEqual(outcomes.map(() => ({ isRemoved: true, found: null })));
    }
  });

  test('keeps grants, but not removed ones, across a reopen', async () => {
    const [kept, removed] = [await insert({ previousToken: aPreviousToken() }), await insert()];
    await store().remove(removed.id);
    await sharedBackend.reopen();
    expect(await store().get(kept.id)).toEqual(kept);
    expect(await store().get(removed.id)).toBeNull();
  });
});
