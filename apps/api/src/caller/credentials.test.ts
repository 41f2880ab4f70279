import { expect, test } from 'vitest';
import { parseBearerToken } from './credentials.ts';

test.each<[string[], string | null]>([
  [[], null],
  [['Host', 'Authorization'], null],
  [['authorization', 'Bearer abc'], 'abc'],
  [['Cookie', 'a=b', 'AUTHORIZATION', 'bEARER   abc'], 'abc'],
  [['Authorization', 'Bearer'], ''],
  [['Authorization', 'Bearer a b'], 'a b'],
  [['Authorization', 'Bearer \u00a0abc'], '\u00a0abc'],
  [['Authorization', 'Basic abc'], null],
  [['Authorization', 'Bearerabc'], null],
  [['Authorization', 'Digest Bearer abc'], null],
  [['X-Authorization', 'Bearer abc'], null],
  [['Authorization', 'Bearer abc', 'Authorization', 'Bearer abc'], ''],
  [['Authorization', 'Basic abc', 'Authorization', 'Bearer abc'], ''],
  [['Authorization', 'Basic abc', 'Authorization', 'Basic abc'], null],
])('parseBearerToken(%j) returns %j', (rawHeaders, expected) => {
  expect(parseBearerToken(rawHeaders)).toBe(expected);
});
