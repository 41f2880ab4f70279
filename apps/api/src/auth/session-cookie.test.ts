import { expect, test } from 'vitest';
import { clearedSessionCookie, sessionCookie, sessionIdOf } from './session-cookie.ts';

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
])('%j holds the session id %j', (header, expected) => {
  expect(sessionIdOf(header)).toBe(expected);
});

test('what is set is found again', () => {
  const [pair] = sessionCookie(id, true).split(';');
  expect(sessionIdOf(pair)).toBe(id);
  expect(sessionCookie(id, true)).toContain('; Secure');
  expect(sessionCookie(id, false)).not.toContain('Secure');
  expect(clearedSessionCookie(true)).toContain('Max-Age=0');
});
