import { describe, expect, test } from 'vitest';
import { mintSigningSecret, parseSigningSecret, sealAgain, sealSecrets, unsealSecrets } from './sealed-secrets.ts';
import { mintToken } from './token.ts';

const token = mintToken('wht');

describe('secrets sealed for a token', () => {
  test.each([[[]], [['one']], [['eins', 'zwei ü', '三']]])('%j is what the token unseals', (secrets) => {
    expect(unsealSecrets(sealSecrets(secrets, token), token)).toEqual(secrets);
  });

  test('can be replaced without the token, by what was sealed before', () => {
    const sealed = sealAgain(['new', 'old'], sealSecrets(['old'], token));
    expect(unsealSecrets(sealed, token)).toEqual(['new', 'old']);
  });

  test('no other token unseals them, and no text was sealed twice the same', () => {
    const sealed = sealSecrets(['a secret'], token);
    expect(unsealSecrets(sealed, mintToken('wht'))).toBeNull();
    expect(sealSecrets(['a secret'], token)).not.toBe(sealed);
    for (const hidden of ['a secret', token]) {
      expect(`${sealed} ${Buffer.from(sealed, 'base64url').toString('latin1')}`).not.toContain(hidden);
    }
  });

  test('a changed text is not unsealed', () => {
    const sealed = sealSecrets(['a secret'], token);
    for (let at = 0; at < sealed.length - 1; at += 1) {
      if (sealed[at] === '.') continue;
      const changed = `${sealed.slice(0, at)}${sealed[at] === 'A' ? 'B' : 'A'}${sealed.slice(at + 1)}`;
      expect(unsealSecrets(changed, token)).toBeNull();
    }
    for (const text of ['', 'a', 'a.b.c', '..', sealed.slice(4), sealed.slice(0, -4)])
      expect(unsealSecrets(text, token)).toBeNull();
  });
});

test('a signing secret holds a key of 32 bytes', () => {
  expect(mintSigningSecret()).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(parseSigningSecret(mintSigningSecret())).toHaveLength(32);
  expect(parseSigningSecret('secret')).toBeNull();
});
