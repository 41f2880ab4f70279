import { expect, test } from 'vitest';
import { UnavailableError } from '../../domain/errors.ts';
import type { Grant } from '../../entities/grant.ts';
import { sha256Hex } from '../../domain/token.ts';
import { makeRotateToken } from './manage-grants.ts';

const controlUnavailable = new UnavailableError('the control log does not answer');
const now = new Date('2026-03-01T10:00:00Z');

/**
 * A store of one grant, and a control log. The first `lostRaces` replacements lose to another rotation. Replacements
 * from number `failsFrom` on fail.
 */
function setUp({ isControlUnavailable = false, lostRaces = 0, failsFrom = Infinity, tokenMaxLifetimeMs = 0 } = {}) {
  const grant: Grant = {
    id: 'g',
    name: 'mine',
    token: { digest: 'first', sealedSecret: null },
    previousToken: { digest: 'zeroth', sealedSecret: null, expiresAt: now },
    expiresAt: null,
    tokenIssuedAt: now,
    createdAt: now,
    createdBy: crypto.randomUUID(),
    lastUsedAt: null,
  };
  const state = { grant, replacements: [] as TokenReplacement[] };
  const rotate = makeRotateToken({
    grants: {
      get: async () => state.grant,
      replaceTokens: async (_id, replacement) => {
        state.replacements.push(replacement);
        if (state.replacements.length >= failsFrom) throw new UnavailableError('the store does not answer');
        if (state.replacements.length <= lostRaces) {
          state.grant = { ...state.grant, token: { digest: `other rotation ${lostRaces}`, sealedSecret: 'theirs' } };
          return null;
        }
        const { token, tokenIssuedAt, previousToken, expiry } = replacement;
        const expiresAt = expiry === undefined ? state.grant.expiresAt : expiry.value;
        state.grant = { ...state.grant, token, tokenIssuedAt, previousToken, expiresAt };
        return state.grant;
      },
    },
    control: {
      announce: async () => {
        if (isControlUnavailable) throw controlUnavailable;
      },
    },
    kind: 'integration',
    prefix: 'wht',
    tokenMaxLifetimeMs: tokenMaxLifetimeMs === 0 ? null : tokenMaxLifetimeMs,
    clock: { now: () => now },
  });
  return { rotate, state };
}

const rotation = { overlapSeconds: 300, isSigned: null };

test('a rotation that lost a race replaces the token of the rotation that won, and keeps it signed', async () => {
  const { rotate, state } = setUp({ lostRaces: 1 });
  const rotated = await rotate('g', rotation);
  expect(rotated?.signingSecret).toMatch(/^whsec_/);
  expect(state.grant.token.digest).toBe(sha256Hex(rotated?.token ?? ''));
  expect(state.grant.previousToken).toMatchObject({ digest: 'other rotation 1', sealedSecret: 'theirs' });
});

test('a rotation that loses ten races in a row is rejected as unavailable', async () => {
  const { rotate, state } = setUp({ lostRaces: 1_000 });
  await expect(rotate('g', rotation)).rejects.toThrow(UnavailableError);
  expect(state.replacements).toHaveLength(10);
});

test('a rotation that cannot be announced restores the tokens', async () => {
  const { rotate, state } = setUp({ isControlUnavailable: true });
  const before = state.grant;
  await expect(rotate('g', rotation)).rejects.toBe(controlUnavailable);
  expect(state.grant).toEqual(before);
});

test('a rotation that shortened the expiry and cannot be announced restores the expiry too', async () => {
  const { rotate, state } = setUp({ isControlUnavailable: true, tokenMaxLifetimeMs: 60_000 });
  const before = state.grant;
  await expect(rotate('g', rotation)).rejects.toBe(controlUnavailable);
  expect(state.replacements[0]?.expiry).toEqual({ replaced: null, value: new Date(now.getTime() + 60_000) });
  expect(state.grant).toEqual(before);
});

test('a rotation that can neither be announced nor undone is rejected with the first error', async () => {
  const { rotate, state } = setUp({ isControlUnavailable: true, failsFrom: 2 });
  await expect(rotate('g', rotation)).rejects.toBe(controlUnavailable);
  expect(state.grant.previousToken?.digest).toBe('first');
});
