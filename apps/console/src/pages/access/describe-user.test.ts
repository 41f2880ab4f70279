import { expect, test } from 'vitest';
import { generatePassword } from './describe-user.ts';

test('makes five groups of characters that cannot be confused, different each time', () => {
  const passwords = Array.from({ length: 200 }, generatePassword);
  for (const password of passwords) expect(password).toMatch(/^[a-hjkmnp-z2-9]{4}(?:-[a-hjkmnp-z2-9]{4}){4}$/);
  expect(new Set(passwords).size).toBe(200);
  // Every character occurs: a fair choice misses one of 31 among 4,000 with a probability below 10^-50.
  expect(new Set(passwords.join('').replaceAll('-', '')).size).toBe(31);
});
