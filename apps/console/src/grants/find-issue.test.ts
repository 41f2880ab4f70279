import { expect, test } from 'vitest';
import { findIssuer, toIssueQuery } from './find-issue.ts';

const grant = {
  id: '01a1fc8c-7db6-757e-a9db-2ab4c3145fcb',
  name: 'Importer',
  permissions: [],
  expiresAt: null,
  createdAt: '2026-11-21T05:20:28.087Z',
  createdBy: '01a1fc8b-61ab-7447-b0d0-c663438d0562',
  tokenIssuedAt: '2026-11-21T05:20:28.087Z',
  previousExpiresAt: null,
  lastUsedAt: null,
};

test('the secret of a grant that was never rotated was issued at its creation', () => {
  expect(toIssueQuery('/api/v1/provision-tokens', grant)).toEqual({
    targetId: grant.id,
    action: 'provision-token.created',
    from: '2026-11-21T05:19:28.087Z',
    to: '2026-11-21T05:20:28.088Z',
  });
});

test('the secret of a rotated grant was issued by that rotation', () => {
  const rotated = { ...grant, tokenIssuedAt: '2026-11-22T05:20:28.087Z' };
  expect(toIssueQuery('/api/v1/integrations', rotated)).toMatchObject({
    action: 'integration.token-rotated',
    to: '2026-11-22T05:20:28.088Z',
  });
});

test('the newest event that succeeded names who issued it', () => {
  const failed = { outcome: 'failed', actorName: 'Lea' } as const;
  const succeeded = { outcome: 'succeeded', actorName: 'Ines Moreau' } as const;
  expect(findIssuer([failed, succeeded])).toBe('Ines Moreau');
  expect(findIssuer([failed])).toBeNull();
  expect(findIssuer([])).toBeNull();
});
