import { describe, expect, test } from 'vitest';
import { isAnyAddress, isLoopback, normalizeHost, splitHosts } from './host-name.ts';

describe('normalizeHost', () => {
  test.each([
    ['Widgets.LAN', 'widgets.lan'],
    ['widgets.lan.', 'widgets.lan'],
    ['[::1]', '::1'],
    ['0:0:0:0:0:0:0:1', '::1'],
    ['2001:0DB8::0:7', '2001:db8::7'],
    ['fe80::1%eth0', 'fe80::1'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::FFFF:c000:207', '192.0.2.7'],
    ['192.0.2.7', '192.0.2.7'],
    ['.', '.'],
    ['', ''],
  ])('%s becomes %s', (host, normal) => expect(normalizeHost(host)).toBe(normal));
});

describe('isLoopback', () => {
  test.each([
    'localhost',
    'LOCALHOST',
    'localhost.',
    'widgets.localhost',
    '127.0.0.1',
    '127.9.9.9',
    '::1',
    '[::1]',
    '0:0:0:0:0:0:0:1',
    '::ffff:127.0.0.1',
  ])('returns true for %s', (host) => expect(isLoopback(host)).toBe(true));

  test.each([
    '127.0.0.1.example',
    'localhost.example',
    'notlocalhost',
    '127.example',
    '128.0.0.1',
    '::',
    '0.0.0.0',
    '',
  ])('returns false for "%s"', (host) => expect(isLoopback(host)).toBe(false));
});

test('every form of the unspecified address stands for all addresses', () => {
  expect(['::', '::0', '[::]', '0:0:0:0:0:0:0:0', '0.0.0.0'].map(isAnyAddress)).toEqual([true, true, true, true, true]);
  expect(['::1', '127.0.0.1', 'localhost'].map(isAnyAddress)).toEqual([false, false, false]);
});

test.each([
  ['redis://cache', ['redis://cache']],
  ['rediss://u:p,w@a:1,[::1]:2/0', ['rediss://u:p,w@a:1/0', 'rediss://u:p,w@[::1]:2/0']],
  ['redis://:p@ss@a,b', ['redis://:p@ss@a', 'redis://:p@ss@b']],
  ['cache:6379', ['cache:6379']],
])('splits %s into one URL for each host', (url, urls) => expect(splitHosts(url)).toEqual(urls));
