import { expect, test } from 'vitest';
import { isWellFormedToken, mintToken } from './token.ts';

test('mintToken returns distinct, well-formed tokens', () => {
  const tokens = Array.from({ length: 500 }, () => mintToken('wht'));
  expect(tokens.every((token) => /^wht_[0-9A-Za-z]{38}$/.test(token) && isWellFormedToken(token, 'wht'))).toBe(true);
  expect(new Set(tokens).size).toBe(500);
});

test('isWellFormedToken returns false for a changed character, another prefix and a cut token', () => {
  const token = mintToken('wst');
  const changed = `${token.slice(0, 10)}${token[10] === 'a' ? 'b' : 'a'}${token.slice(11)}`;
  expect(isWellFormedToken(changed, 'wst')).toBe(false);
  expect(isWellFormedToken(token, 'wht')).toBe(false);
  expect(isWellFormedToken(token.slice(0, -1), 'wst')).toBe(false);
  expect(isWellFormedToken('hooks', 'wst')).toBe(false);
});
