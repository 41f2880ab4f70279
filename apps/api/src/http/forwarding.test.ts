import { describe, expect, test } from 'vitest';
import {
  isPrivateAddress,
  makeIsProxyPeer,
  type TrustedProxies,
  toAttemptSource,
  toClientNetwork,
  toNetwork,
  toShownAddress,
  toTrustProxy,
} from './forwarding.ts';

describe('isPrivateAddress', () => {
  test.each([
    '127.0.0.1',
    '127.255.255.254',
    '::1',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.1.1',
    '100.64.0.1',
    '::ffff:10.1.2.3',
    '::ffff:a01:203',
    'fd12::1',
    'fe80::1%eth0',
  ])('returns true for %s', (address) => expect(isPrivateAddress(address)).toBe(true));

  test.each(['8.8.8.8', '172.32.0.1', '172.15.0.1', '193.168.1.1', '::ffff:8.8.8.8', '2001:db8::1', '', 'unknown'])(
    'returns false for "%s"',
    (address) => expect(isPrivateAddress(address)).toBe(false),
  );
});

describe('toNetwork', () => {
  test.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::FFFF:c000:207', '192.0.2.7'],
    ['::ffff:c0', '0:0:0:0::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2:ffff::', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002::6', '2001:db8:1:2::/64'],
    ['2001:db8::6', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::192.0.2.7', '64:ff9b:0:0::/64'],
  ])('converts %s to %s', (address, network) => expect(toNetwork(address)).toBe(network));
});

describe('toAttemptSource', () => {
  const request = (ip: string, headers = {}) => ({ ip, headers });
  const forwarding = { 'x-forwarded-for': '192.0.2.1' };

  test('marks the address of a private peer as shared if the peer forwards, unless it is known that there is no proxy', () => {
    expect(toAttemptSource(request('10.0.0.7', forwarding), null)).toEqual({ address: '10.0.0.7', isShared: true });
    for (const [sent, trusted] of [
      [request('10.0.0.7'), null],
      [request('10.0.0.7', forwarding), []],
    ] as const) {
      expect(toAttemptSource(sent, trusted)).toEqual({ address: '10.0.0.7', isShared: false });
    }
    expect(toAttemptSource(request('203.0.113.9', forwarding), null).isShared).toBe(false);
  });
});

describe('toClientNetwork', () => {
  test('returns null once the connection is closed', () => {
    const closed = { ip: undefined as unknown as string, headers: { 'x-forwarded-for': '192.0.2.1' } };
    expect(toClientNetwork(closed, null)).toBeNull();
    expect(toClientNetwork(closed, 1)).toBeNull();
  });
});

describe('toShownAddress', () => {
  const forwarded = { 'x-forwarded-for': '198.51.100.7' };
  test.each([
    ['198.51.100.7', {}, null, '198.51.100.7'],
    ['::ffff:198.51.100.7', {}, null, '198.51.100.7'],
    ['2001:DB8::7%eth0', {}, null, '2001:db8::7'],
    ['10.0.0.2', {}, null, '10.0.0.2'],
    ['10.0.0.2', forwarded, null, null],
    ['10.0.0.2', forwarded, [], '10.0.0.2'],
    ['10.0.0.2', forwarded, ['10.0.0.0/8'], '10.0.0.2'],
    ['unix:', {}, null, null],
    [undefined as unknown as string, {}, null, null],
  ])('shows %j with the headers %j and the trusted proxies %j as %j', (ip, headers, trusted, shown) => {
    expect(toShownAddress({ ip, headers }, trusted)).toBe(shown);
  });
});

describe('toTrustProxy', () => {
  test('trusts no proxy, the given ranges, or the given number of hops', () => {
    expect(toTrustProxy(null)).toBe(false);
    expect(toTrustProxy([])).toBe(false);
    expect(toTrustProxy(['10.0.0.0/8'])).toEqual(['10.0.0.0/8']);
    const isTrusted = toTrustProxy(2) as (address: string, hop: number) => boolean;
    expect([0, 1, 2].map((hop) => isTrusted('192.0.2.1', hop))).toEqual([true, true, false]);
  });
});

describe('makeIsProxyPeer', () => {
  test.each<[TrustedProxies, string, boolean]>([
    [1, '203.0.113.9', true],
    [null, '10.1.2.3', true],
    [null, '203.0.113.9', false],
    [[], '127.0.0.1', false],
    [['192.0.2.0/24'], '192.0.2.7', true],
    [['192.0.2.0/24'], '::ffff:192.0.2.7', true],
    [['192.0.2.0/24'], '192.0.3.7', false],
    [['192.0.2.7', '2001:db8::/32'], '2001:db8:1::7', true],
    [['192.0.2.7', '2001:db8::/32'], '192.0.2.7', true],
    [['192.0.2.7', '2001:db8::/32'], '192.0.2.8', false],
    [['192.0.2.0/24'], '', false],
  ])('with TRUSTED_PROXIES %j, %s: %s', (trusted, address, expected) => {
    expect(makeIsProxyPeer(trusted)(address)).toBe(expected);
  });
});
