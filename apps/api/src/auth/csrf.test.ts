import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { computeCsrfToken, isCsrfToken, isOwnOrigin } from './csrf.ts';

test('computes the CSRF token as an HMAC with the session id as the key', () => {
  expect(computeCsrfToken('id')).toBe(createHmac('sha256', 'id').update('csrf').digest('base64url'));
});

test.each([undefined, '', 'x', ['a', 'b'], computeCsrfToken('another'), `${computeCsrfToken('id')}=`])(
  'rejects %j as the CSRF token',
  (headerValue) => {
    expect(isCsrfToken('id', headerValue)).toBe(false);
  },
);

test('accepts the CSRF token of the session', () => {
  expect(isCsrfToken('id', computeCsrfToken('id'))).toBe(true);
});

const ownOrigins = ['https://widgets.example', 'http://localhost:8080'];

test.each([
  [{}, true],
  [{ secFetchSite: 'same-origin' }, true],
  [{ secFetchSite: 'none' }, true],
  [{ secFetchSite: 'same-site' }, false],
  [{ secFetchSite: 'cross-site', origin: 'https://widgets.example' }, false],
  [{ secFetchSite: '' }, false],
  [{ origin: 'https://widgets.example' }, true],
  [{ origin: 'http://localhost:8080' }, true],
  [{ origin: 'http://localhost' }, false],
  [{ origin: 'null' }, false],
])('isOwnOrigin(%j) returns %j', (headers: { secFetchSite?: string; origin?: string }, expected) => {
  expect(isOwnOrigin({ secFetchSite: headers.secFetchSite, origin: headers.origin }, ownOrigins)).toBe(expected);
});
