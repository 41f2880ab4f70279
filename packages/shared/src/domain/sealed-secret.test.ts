import { expect, test } from 'vitest';
import { mintSigningSecret, parseSigningSecret, sealSecret, unsealSecret } from './sealed-secret.ts';
import { mintToken } from './token.ts';

const token = mintToken('wht');

test('unsealSecret returns the secret for its token, and null for another token', () => {
  const secret = mintSigningSecret();
  const sealed = sealSecret(secret, token);
  expect(unsealSecret(sealed, token)).toBe(secret);
  expect(unsealSecret(sealed, mintToken('wht'))).toBeNull();
});

test('a sealed text contains neither the secret nor the token, and differs each time', () => {
  const secret = mintSigningSecret();
  const sealed = sealSecret(secret, token);
  const decoded = Buffer.from(sealed, 'base64url').toString('latin1');
  for (const hidden of [secret, token, secret.slice(6)]) expect(`${sealed} ${decoded}`).not.toContain(hidden);
  expect(sealSecret(secret, token)).not.toBe(sealed);
});

test('unsealSecret returns null for a text with any byte changed, or cut', () => {
  const bytes = Buffer.from(sealSecret('whsec_c2VjcmV0', token), 'base64url');
  for (let at = 0; at < bytes.length; at += 1) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(unsealSecret(changed.toString('base64url'), token)).toBeNull();
  }
  expect(unsealSecret('', token)).toBeNull();
  expect(unsealSecret(bytes.subarray(0, 20).toString('base64url'), token)).toBeNull();
});

test('a signing secret holds a key of 32 bytes', () => {
  expect(mintSigningSecret()).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(parseSigningSecret(mintSigningSecret())).toHaveLength(32);
  expect(parseSigningSecret('secret')).toBeNull();
});
