import { expect, test } from 'vitest';
import { sealText, unsealText } from './encrypted-text.ts';

const secret = 'a secret with many random bits';

test('a sealed text is unsealed with its secret and purpose alone, and differs each time', () => {
  const sealed = sealText('grün', secret, 'one');
  expect(unsealText(sealed, secret, 'one')).toBe('grün');
  expect(unsealText(sealed, secret, 'another')).toBeNull();
  expect(unsealText(sealed, 'another secret', 'one')).toBeNull();
  expect(sealText('grün', secret, 'one')).not.toBe(sealed);
});

test('a text with any byte changed, or cut, is not unsealed', () => {
  const bytes = Buffer.from(sealText('a text', secret, 'one'), 'base64url');
  for (let at = 0; at < bytes.length; at += 1) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(unsealText(changed.toString('base64url'), secret, 'one')).toBeNull();
  }
  expect(unsealText('', secret, 'one')).toBeNull();
  expect(unsealText(bytes.subarray(0, 20).toString('base64url'), secret, 'one')).toBeNull();
});
