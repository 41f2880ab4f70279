import { describe, expect, test } from 'vitest';
import { isSealedForToken, sealAgain, sealForToken, unsealForToken } from './sealed-for-token.ts';
import { sealSecret, unsealSecret } from './sealed-secret.ts';
import { mintToken } from './token.ts';

const token = mintToken('wht');

describe('secrets sealed for a token', () => {
  test.each([[[]], [['one']], [['eins', 'zwei ü', '三']]])('%j is what the token unseals', (secrets) => {
    expect(unsealForToken(sealForToken(secrets, token), token)).toEqual(secrets);
  });

  test('can be replaced without the token, by what was sealed before', () => {
    const sealed = sealAgain(['new', 'old'], sealForToken(['old'], token));
    expect(unsealForToken(sealed, token)).toEqual(['new', 'old']);
  });

  test('no other token unseals them, and no text was sealed twice the same', () => {
    const sealed = sealForToken(['a secret'], token);
    expect(unsealForToken(sealed, mintToken('wht'))).toBeNull();
    expect(sealForToken(['a secret'], token)).not.toBe(sealed);
    expect(sealed).not.toContain('a secret');
  });

  test('a changed text is not unsealed', () => {
    const sealed = sealForToken(['a secret'], token);
    for (const at of [0, 10, 60, sealed.length - 2]) {
      const changed = `${sealed.slice(0, at)}${sealed[at] === 'A' ? 'B' : 'A'}${sealed.slice(at + 1)}`;
      expect(unsealForToken(changed, token)).toBeNull();
    }
    for (const text of ['', 'x1', 'x1.a.b', 'x1...', `${sealed}.more`.slice(4)])
      expect(unsealForToken(text, token)).toBeNull();
  });

  test('is a format of its own', () => {
    const other = sealSecret('whsec_a', token);
    expect(isSealedForToken(other)).toBe(false);
    expect(unsealForToken(other, token)).toBeNull();
    expect(() => sealAgain([], other)).toThrow();
    expect(unsealSecret(sealForToken(['a'], token), token)).toBeNull();
  });
});
