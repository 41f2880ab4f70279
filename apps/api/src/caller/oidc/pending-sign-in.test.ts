import { describe, expect, test } from 'vitest';
import { createPendingSignIns, parseReturnTo } from './pending-sign-in.ts';

const now = new Date('2026-03-01T10:00:00.000Z');
const pending = { state: 's', nonce: 'n', codeVerifier: 'v', returnTo: '/docs' };
const secret = 'a secret of the provider';
const pendingSignIns = createPendingSignIns(secret, true);
const toCookie = (setCookie: string) => setCookie.split(';')[0] ?? '';

describe('pending sign-ins', () => {
  test('are kept for ten minutes, readable by every pod with the same client secret', () => {
    const [setCookie = '', ...others] = pendingSignIns.format(pending, undefined, now);
    expect(others).toEqual([]);
    expect(setCookie).toMatch(
      /^__Host-service_sign_in_[\w-]{16}=[\w-]+; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    const otherPod = createPendingSignIns(secret, true);
    const later = (ms: number) => new Date(now.getTime() + ms);
    expect(otherPod.parse(toCookie(setCookie), 's', later(599_999))).toEqual(pending);
    expect(otherPod.parse(toCookie(setCookie), 's', later(600_000))).toBeNull();
  });

  test('are kept side by side, the last four of a browser, each with its own end', () => {
    const cookies = new Map<string, string>();
    const toHeader = () => [...cookies].map((pair) => pair.join('=')).join('; ');
    const keep = (lines: string[]) => {
      for (const line of lines) {
        const [name = '', value = ''] = toCookie(line).split('=');
        if (line.includes('Max-Age=0')) cookies.delete(name);
        else cookies.set(name, value);
      }
    };
    const states = ['a', 'b', 'c', 'd', 'e', 'f'];
    for (const state of states) keep(pendingSignIns.format({ ...pending, state }, `other=1; ${toHeader()}`, now));
    keep([pendingSignIns.formatCleared('d')]);
    const kept = states.filter((state) => pendingSignIns.parse(toHeader(), state, now)?.state === state);
    expect(kept).toEqual(['c', 'e', 'f']);
  });

  test('cannot be read or changed without the client secret', () => {
    const cookie = toCookie(pendingSignIns.format(pending, undefined, now)[0] ?? '');
    const [name = ''] = cookie.split('=');
    const stranger = createPendingSignIns('the secret of somebody else', true);
    expect(stranger.parse(cookie, 's', now)).toBeNull();
    const changed = `${cookie.slice(0, 60)}${cookie[60] === 'A' ? 'B' : 'A'}${cookie.slice(61)}`;
    for (const header of [undefined, '', `${name}=`, `${name}=%`, `${name}=abc`, changed]) {
      expect(pendingSignIns.parse(header, 's', now)).toBeNull();
    }
  });

  test('are not read from a cookie that another host can set, nor from two cookies', () => {
    const cookie = toCookie(pendingSignIns.format(pending, undefined, now)[0] ?? '');
    const [name = ''] = cookie.split('=');
    for (const header of [cookie.replace('__Host-', ''), `${cookie}; ${cookie}`, `${name}=; ${cookie}`]) {
      expect(pendingSignIns.parse(header, 's', now)).toBeNull();
    }
    expect(pendingSignIns.parse(`${name.slice(7)}=planted; ${cookie}`, 's', now)).toEqual(pending);
  });

  test('have a cookie without the prefix where browsers use plain HTTP', () => {
    const plain = createPendingSignIns(secret, false);
    const [setCookie = ''] = plain.format(pending, undefined, now);
    expect(setCookie).toMatch(/^service_sign_in_[\w-]{16}=[\w-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/);
    expect(plain.parse(toCookie(setCookie), 's', now)).toEqual(pending);
  });
});

describe('parseReturnTo', () => {
  const base = 'https://widgets.example.com/base';

  test.each([
    ['/base/docs', '/base/docs'],
    ['/base/?page=2#top', '/base/?page=2#top'],
    ['/base/a/../docs', '/base/docs'],
    ['/base/?next=https://elsewhere.example', '/base/?next=https://elsewhere.example'],
  ])('accepts %s', (text, path) => expect(parseReturnTo(text, base)).toBe(path));

  test.each([
    '',
    'docs',
    '/',
    '/other',
    '/based',
    '/base/../other',
    '/base/%2e%2e/other',
    '//elsewhere.example/base/',
    '/\\elsewhere.example/base/',
    '\\\\elsewhere.example/base/',
    '/\t/elsewhere.example/base/',
    '/\n/elsewhere.example/base/',
    'https://elsewhere.example/base/',
    'https:elsewhere.example/base/',
    'javascript:alert(1)',
    '//',
  ])('rejects %j', (text) => expect(parseReturnTo(text, base)).toBeNull());

  test.each(['//elsewhere.example', '/.//elsewhere.example', '/..//elsewhere.example', '/a/..//elsewhere.example'])(
    'rejects %s also for a service without a path of its own',
    (text) => expect(parseReturnTo(text, 'https://widgets.example.com')).toBeNull(),
  );

  test('accepts the start page of a service without a path of its own', () => {
    expect(parseReturnTo('/', 'https://widgets.example.com')).toBe('/');
  });
});
