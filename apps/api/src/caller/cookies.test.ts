import { expect, test } from 'vitest';
import { formatClearedSessionCookie, formatSessionCookie, parseSessionId, readCookie } from './cookies.ts';

const id = 'a'.repeat(43);

test.each([
  [undefined, null],
  ['', null],
  [`service_console=${id}`, id],
  [`theme=dark; service_console=${id};lang=en`, id],
  [`service_console=${id}; service_console=${id}`, null],
  [`service_console=; service_console=${id}`, null],
  [`xservice_console=${id}`, null],
  [`service_console=${id}a`, null],
  [`service_console="${id}"`, null],
  [`Service_Console=${id}`, null],
])('parseSessionId(%j) returns %j', (header, expected) => {
  expect(parseSessionId(header)).toBe(expected);
});

test('parses the cookie that it formats, with Secure only if asked for, and clears it with Max-Age=0', () => {
  const [pair] = formatSessionCookie(id, true).split(';');
  expect(parseSessionId(pair)).toBe(id);
  expect(formatSessionCookie(id, true)).toContain('; Secure');
  expect(formatSessionCookie(id, false)).not.toContain('Secure');
  expect(formatClearedSessionCookie(true)).toContain('Max-Age=0');
});

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
