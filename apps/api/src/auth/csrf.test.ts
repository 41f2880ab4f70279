import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { computeCsrfToken, isCsrfToken, isOwnOrigin } from './csrf.ts';

test('the token is a keyed hash of the session id', () => {
  expect(computeCsrfToken('id')).toBe(createHmac('sha256', 'id').update('csrf').digest('base64url'));
});

test.each([undefined, '', 'x', ['a', 'b'], computeCsrfToken('another'), `${computeCsrfToken('id')}=`])(
  '%j is refused',
  (given) => {
    expect(isCsrfToken('id', given)).toBe(false);
  },
);

test('its own is accepted', () => {
  expect(isCsrfToken('id', computeCsrfToken('id'))).toBe(true);
});

const own = ['https://widgets.example', 'http://localhost:8080'];

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
])('%j', (from: { secFetchSite?: string; origin?: string }, expected) => {
  expect(isOwnOrigin({ secFetchSite: from.secFetchSite, origin: from.origin }, own)).toBe(expected);
});
