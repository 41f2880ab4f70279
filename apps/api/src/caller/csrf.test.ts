import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { computeCsrfToken, isOwnOrigin } from './csrf.ts';

test('computes the CSRF token as an HMAC with the session id as the key', () => {
  expect(computeCsrfToken('id')).toBe(createHmac('sha256', 'id').update('csrf').digest('base64url'));
});

test.each([
  ['http://widgets.lan:80', 'http://widgets.lan'],
  ['https://widgets.lan:443', 'https://widgets.lan'],
  ['http://WIDGETS.lan', 'http://widgets.lan'],
  ['http://widgets.lan.', 'http://widgets.lan'],
  ['http://widgets.lan.:80', 'http://widgets.lan.'],
  ['http://[0:0:0:0:0:0:0:1]:8080', 'http://[::1]:8080'],
  ['http://[2001:DB8::7]', 'http://[2001:db8:0::7]'],
])('%s and %s are one origin', (own, origin) => {
  expect(isOwnOrigin({ secFetchSite: undefined, origin }, [own])).toBe(true);
});

const ownOrigins = ['https://widgets.example', 'http://localhost:8080'];

test.each([
  [{}, true],
  [{ secFetchSite: 'same-origin' }, true],
  [{ secFetchSite: 'none' }, true],
  [{ secFetchSite: 'same-site' }, false],
  [{ secFetchSite: 'cross-site', origin: 'https://widgets.example' }, false],
  [{ secFetchSite: '' }, false],
  [{ secFetchSite: 'SAME-ORIGIN' }, false],
  [{ secFetchSite: 'same-origin, cross-site' }, false],
  [{ origin: 'https://widgets.example' }, true],
  [{ origin: 'http://localhost:8080' }, true],
  [{ origin: 'http://localhost' }, false],
  [{ origin: 'null' }, false],
  [{ origin: 'HTTPS://Widgets.Example:443' }, true],
  [{ origin: 'https://widgets.example.' }, true],
  [{ origin: 'https://widgets.example:80' }, false],
  [{ origin: 'https://widgets.example/' }, true],
  [{ origin: 'https://widgets.example/page' }, false],
  [{ origin: 'https://user@widgets.example' }, false],
  [{ origin: 'https://widgets.example, https://evil.example' }, false],
  [{ origin: 'https://widgets.example.evil.example' }, false],
  [{ origin: '' }, false],
])('isOwnOrigin(%j) returns %j', (headers: { secFetchSite?: string; origin?: string }, expected) => {
  expect(isOwnOrigin({ secFetchSite: headers.secFetchSite, origin: headers.origin }, ownOrigins)).toBe(expected);
});
