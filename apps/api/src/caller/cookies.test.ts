import { expect, test } from 'vitest';
import { readCookie } from './cookies.ts';

test.each([
  ['a=1; b=2', 'b', '2'],
  ['a=1;\tb=2', 'b', '2'],
  ['a=1;b=', 'b', ''],
  ['a=1; b=2; b=2', 'b', null],
  ['a=1', 'b', null],
  [undefined, 'b', null],
])('of %j, %s is %j', (header, name, value) => {
  expect(readCookie(header, name)).toBe(value);
});

test.each(['\u00a0', '\u0085', '\u000b'])(
  'a name after %j is another name: a browser would let any host set it',
  (space) => {
    expect(readCookie(`${space}__Host-b=planted`, '__Host-b')).toBeNull();
    expect(readCookie(`a=1; ${space}__Host-b=planted; __Host-b=own`, '__Host-b')).toBe('own');
  },
);
