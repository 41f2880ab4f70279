import { describe, expect, test } from 'vitest';
import { expectNoSecretIn, noSecretLeaks } from './no-secret-leaks.ts';
import { testChecker } from './test-checker.ts';

const secret = 'wst_C4nary/+=C4naryC4naryC4naryC4nary';
const isFound = (text: string) => {
  try {
    expectNoSecretIn({ text }, [secret]);
    return false;
  } catch {
    return true;
  }
};

describe('the search for secrets', () => {
  test('finds a secret as it is', () => expect(isFound(`GET /${secret} HTTP/1.1`)).toBe(true));
  test('URL-encoded', () => expect(isFound(`?next=${encodeURIComponent(secret)}`)).toBe(true));
  test.each([0, 1, 2, 3, 4])('finds a secret in base64, %i bytes behind the start', (before) => {
    const text = `${'x'.repeat(before)}${secret} and more`;
    expect(isFound(Buffer.from(text).toString('base64'))).toBe(true);
    expect(isFound(Buffer.from(text).toString('base64url'))).toBe(true);
  });
  test('finds nothing else', () => expect(isFound(`${secret.slice(0, -1)} ${secret.toUpperCase()}`)).toBe(false));
});

testChecker(noSecretLeaks, [
  [
    'a secret in the logs',
    /wst_canary in logs/,
    ({ texts }) => {
      texts.logs += ' GET /wst_canary';
    },
  ],
]);
