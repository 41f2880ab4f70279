import { expect, test } from 'vitest';
import { UnavailableError } from '../../domain/errors.ts';
import type { Grant } from '../../entities/grant.ts';
import { ManageGrants } from './manage-grants.ts';

const controlUnavailable = new UnavailableError('the control log does not answer');
const now = new Date('2026-03-01T10:00:00Z');

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

const noGrants = { insert: async () => true, get: async () => null, remove: async () => false };

/** A store of one grant, and a control log that does not answer. Changes from number `failsFrom` on fail. */
function setUp({ failsFrom = Infinity, tokenMaxLifetimeMs = 0 } = {}) {
  const state = { grant, changes: [] as Partial<Grant>[] };
  const manage = new ManageGrants<object>({
    grants: {
      ...noGrants,
      change: async (_id, decide) => {
        const changes = decide(state.grant);
        if (changes !== null) state.changes.push(changes);
        if (state.changes.length >= failsFrom) throw new UnavailableError('the store does not answer');
        state.grant = { ...state.grant, ...changes };
        return changes === null ? null : state.grant;
      },
    },
    control: { announce: () => Promise.reject(controlUnavailable) },
    kind: 'integration',
    tokenMaxLifetimeMs: tokenMaxLifetimeMs === 0 ? null : tokenMaxLifetimeMs,
    clock: { now: () => now },
  });
  return { manage, state };
}

const rotation = { overlapSeconds: 300, isSigned: null };

test('a rotation that cannot be announced restores the tokens', async () => {
  const { manage, state } = setUp();
  const before = state.grant;
  await expect(manage.rotate('g', rotation)).rejects.toBe(controlUnavailable);
  expect(state.changes).toHaveLength(2);
  expect(state.grant).toEqual(before);
});

test('a rotation that shortened the expiry and cannot be announced restores the expiry too', async () => {
  const { manage, state } = setUp({ tokenMaxLifetimeMs: 60_000 });
  const before = state.grant;
  await expect(manage.rotate('g', rotation)).rejects.toBe(controlUnavailable);
  expect(state.changes[0]?.expiresAt).toEqual(new Date(now.getTime() + 60_000));
  expect(state.grant).toEqual(before);
});

test('a rotation that can neither be announced nor undone is rejected with the first error', async () => {
  const { manage, state } = setUp({ failsFrom: 2 });
  await expect(manage.rotate('g', rotation)).rejects.toBe(controlUnavailable);
  expect(state.grant.previousToken?.digest).toBe('first');
});

test('the end of a token that a rotation has ended first is announced, and not counted as a change', async () => {
  const ended = { ...grant, previousToken: null };
  const announced: unknown[] = [];
  const manage = new ManageGrants<object>({
    grants: { ...noGrants, change: async (_id, decide) => (decide(ended) === null ? null : ended) },
    control: { announce: async (entry) => void announced.push(entry) },
    kind: 'integration',
    clock: { now: () => now },
  });
  expect(await manage.endPreviousToken('g')).toEqual({ before: ended, isEnded: false });
  expect(announced).toEqual([{ kind: 'integration', id: 'g', change: 'changed' }]);
});
