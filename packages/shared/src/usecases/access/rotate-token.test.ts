import { expect, test } from 'vitest';
import { UnavailableError } from '../../domain/errors.ts';
import type { Grant } from '../../domain/grant.ts';
import { sha256Hex } from '../../domain/token.ts';
import type { TokenReplacement } from '../../ports/grant-store.ts';
import { makeRotateToken } from './manage-grants.ts';

const away = new UnavailableError('the control log is away');
const now = new Date('2026-03-01T10:00:00Z');

/** A store of one grant, whose replacements can be made to lose or to fail, and a control log that is away. */
function setUp({ isControlAway = false, lostRaces = 0, failsFrom = Infinity } = {}) {
  const grant: Grant = {
    id: 'g',
    name: 'mine',
    token: { digest: 'first', sealedSecret: null },
    previousToken: { digest: 'zeroth', sealedSecret: null, expiresAt: now },
    expiresAt: null,
    createdAt: now,
    lastUsedAt: null,
  };
  const state = { grant, replacements: [] as TokenReplacement[] };
  const rotate = makeRotateToken({
    grants: {
      get: async () => state.grant,
      replaceTokens: async (_id, replacement) => {
        state.replacements.push(replacement);
        if (state.replacements.length >= failsFrom) throw new UnavailableError('the store is away');
        if (state.replacements.length <= lostRaces) {
          state.grant = { ...state.grant, token: { digest: `by another ${lostRaces}`, sealedSecret: 'theirs' } };
          return null;
        }
        const { token, previousToken } = replacement;
        state.grant = { ...state.grant, token, previousToken };
        return state.grant;
      },
    },
    control: {
      announce: async () => {
        if (isControlAway) throw away;
      },
    },
    kind: 'integration',
    prefix: 'wht',
    clock: { now: () => now },
  });
  return { rotate, state };
}

const rotation = { overlapSeconds: 300, isSigned: null };

test('who was not first replaces the token of who was, in its own form', async () => {
  const { rotate, state } = setUp({ lostRaces: 1 });
  const rotated = await rotate('g', rotation);
  expect(rotated?.signingSecret).toMatch(/^whsec_/);
  expect(state.grant.token.digest).toBe(sha256Hex(rotated?.token ?? ''));
  expect(state.grant.previousToken).toMatchObject({ digest: 'by another 1', sealedSecret: 'theirs' });
});

test('who never is first gives up', async () => {
  const { rotate, state } = setUp({ lostRaces: 1_000 });
  await expect(rotate('g', rotation)).rejects.toThrow(UnavailableError);
  expect(state.replacements).toHaveLength(10);
});

test('a rotation that cannot be announced leaves the tokens as they were', async () => {
  const { rotate, state } = setUp({ isControlAway: true });
  const before = state.grant;
  await expect(rotate('g', rotation)).rejects.toBe(away);
  expect(state.grant).toEqual(before);
});

test('a rotation that can neither be announced nor taken back says why it failed first', async () => {
  const { rotate, state } = setUp({ isControlAway: true, failsFrom: 2 });
  await expect(rotate('g', rotation)).rejects.toBe(away);
  expect(state.grant.previousToken?.digest).toBe('first');
});
