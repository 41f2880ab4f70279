import { expect, test } from 'vitest';
import type { Grant } from '../../entities/grant.ts';
import { makeEndPreviousToken } from './end-previous-token.ts';

const now = new Date('2026-03-01T10:00:00Z');
const grant: Grant = {
  id: 'g',
  name: 'mine',
  token: { digest: 'second', sealedSecret: null },
  previousToken: null,
  expiresAt: null,
  tokenIssuedAt: now,
  createdAt: now,
  createdBy: crypto.randomUUID(),
  lastUsedAt: null,
};

test('the end of a token that a rotation has ended first is announced, and not counted as a change', async () => {
  const announced: unknown[] = [];
  const end = makeEndPreviousToken({
    grants: { change: async (_id, decide) => (decide(grant) === null ? null : grant) },
    control: { announce: async (entry) => void announced.push(entry) },
    kind: 'integration',
  });
  expect(await end('g')).toEqual({ before: grant, isEnded: false });
  expect(announced).toEqual([{ kind: 'integration', id: 'g', change: 'changed' }]);
});
