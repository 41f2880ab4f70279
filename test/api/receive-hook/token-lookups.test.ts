import { mintToken, sha256Hex } from '@widget-service/shared/domain/token.ts';
import { describe, expect, test } from 'vitest';
import { issueVariables } from '../../corpus/corpus-variables.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import { overrideMethod } from '../../drivers/app/override-method.ts';

/** Look-ups in the store, by token digest. */
const lookUpCounts = new Map<string, number>();
const service = await openSharedApp({
  replace: ({ integrations }) => {
    const watched = overrideMethod(integrations, 'find', (...alternatives) => {
      const digest = String(alternatives[0]?.['token.digest']);
      lookUpCounts.set(digest, (lookUpCounts.get(digest) ?? 0) + 1);
      return integrations.find(...alternatives);
    });
    return { integrations: watched };
  },
});

const send = (token: string) =>
  service.post(`/api/v1/events/hooks/${token}`, '{}', { 'content-type': 'application/json' });

/** Sends hooks one after the other and returns how often the token was looked up. */
async function sendAndCountLookUps(token: string, hooks: number): Promise<number> {
  for (let sent = 0; sent < hooks; sent += 1) expect((await send(token)).json().code).toBe('invalid-hook-token');
  return lookUpCounts.get(sha256Hex(token)) ?? 0;
}

describe('POST /api/v1/events/hooks/{token}: look-ups of invalid tokens', () => {
  test('looks up an unknown, expired, replaced or revoked token once for five hooks', async () => {
    const { unknownHookToken, expiredHookToken, replacedHookToken, revokedHookToken } = await issueVariables(
      service.backend,
    );
    for (const token of [unknownHookToken, expiredHookToken, replacedHookToken, revokedHookToken])
      expect(await sendAndCountLookUps(token ?? '', 5)).toBe(1);
  });

  test('does not look up a malformed token', async () => {
    const token = mintToken('wht');
    for (const malformed of [token.slice(1), `${token}0`, token.replace('wht', 'wst'), 'x']) {
      expect(await sendAndCountLookUps(malformed, 2)).toBe(0);
    }
  });

  test('shares one look-up among simultaneous hooks with the same unknown token', async () => {
    const token = mintToken('wht');
    await Promise.all(Array.from({ length: 50 }, () => send(token)));
    expect(lookUpCounts.get(sha256Hex(token))).toBe(1);
  });
});
