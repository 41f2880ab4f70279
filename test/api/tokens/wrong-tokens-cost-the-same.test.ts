import { mintToken, sha256Hex } from '@widget-service/shared/domain/token.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { issueNames } from '../../corpus/issue-names.ts';
import { openTestApp, type TestApp } from '../../drivers/test-app.ts';

let service: TestApp;
/** How often the store was asked, by digest. */
const asked = new Map<string, number>();
beforeAll(async () => {
  service = await openTestApp({
    replace: ({ integrations }) => {
      const watched = Object.create(integrations) as typeof integrations;
      watched.findByTokenDigest = (digest, goodAt) => {
        asked.set(digest, (asked.get(digest) ?? 0) + 1);
        return integrations.findByTokenDigest(digest, goodAt);
      };
      return { integrations: watched };
    },
  });
});
afterAll(() => service.close());

const send = (token: string) =>
  service.inject({
    method: 'POST',
    url: `/api/v1/events/hooks/${token}`,
    headers: { 'content-type': 'application/json' },
    payload: '{}',
  });

async function lookUpsOf(token: string, times: number): Promise<number> {
  for (let time = 0; time < times; time += 1) expect((await send(token)).json().code).toBe('invalid-hook-token');
  return asked.get(sha256Hex(token)) ?? 0;
}

test('an unknown, an expired, a replaced and a revoked token are looked up once, and then remembered as wrong', async () => {
  const names = await issueNames(service.backend);
  const wrong = [names.unknownHookToken, names.expiredHookToken, names.replacedHookToken, names.revokedHookToken];
  for (const token of wrong) expect(await lookUpsOf(token ?? '', 5)).toBe(1);
});

test('a token that has not the form of one is not looked up', async () => {
  const token = mintToken('wht');
  for (const malformed of [token.slice(1), `${token}0`, token.replace('wht', 'wst'), 'x']) {
    expect(await lookUpsOf(malformed, 2)).toBe(0);
  }
});

test('many who ask for one at once share one look-up', async () => {
  const token = mintToken('wht');
  await Promise.all(Array.from({ length: 50 }, () => send(token)));
  expect(asked.get(sha256Hex(token))).toBe(1);
});
