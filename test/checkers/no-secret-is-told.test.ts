import { describe, expect, test } from 'vitest';
import { expectNoSecretIn, noSecretIsTold } from './no-secret-is-told.ts';
import { checks } from './spoil.ts';

const secret = 'wst_C4nary/+=C4naryC4naryC4naryC4nary';
const isFound = (text: string) => {
  try {
    expectNoSecretIn({ text }, [secret]);
    return false;
  } catch {
    return true;
  }
};

describe('the search for secrets finds one', () => {
  test('as it is', () => expect(isFound(`GET /${secret} HTTP/1.1`)).toBe(true));
  test('URL-encoded', () => expect(isFound(`?next=${encodeURIComponent(secret)}`)).toBe(true));
  test.each([0, 1, 2, 3, 4])('in base64, %i bytes behind the start', (before) => {
    const text = `${'x'.repeat(before)}${secret} and more`;
    expect(isFound(Buffer.from(text).toString('base64'))).toBe(true);
    expect(isFound(Buffer.from(text).toString('base64url'))).toBe(true);
  });
  test('and nothing else', () => expect(isFound(`${secret.slice(0, -1)} ${secret.toUpperCase()}`)).toBe(false));
});

checks(noSecretIsTold, [
  [
    'a secret in the logs',
    /wst_canary in logs/,
    ({ texts }) => {
      texts.logs += ' GET /wst_canary';
    },
  ],
]);
