import { expect, it } from 'vitest';
import { isPrivateAddress, toLimitedAddress, toNetwork, toTrustProxy } from './forwarding.ts';

it.each([
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
  'fd12::1',
  'fe80::1%eth0',
])('%s is private', (address) => expect(isPrivateAddress(address)).toBe(true));

it.each(['8.8.8.8', '172.32.0.1', '172.15.0.1', '193.168.1.1', '::ffff:8.8.8.8', '2001:db8::1', '', 'unknown'])(
  '%s is not',
  (address) => expect(isPrivateAddress(address)).toBe(false),
);

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2:ffff::', '2001:db8:1:2::/64'],
  ['2001:0db8:0001:0002::6', '2001:db8:1:2::/64'],
  ['2001:db8::6', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['64:ff9b::192.0.2.7', '64:ff9b:0:0::/64'],
])('%s counts as %s', (address, network) => expect(toNetwork(address)).toBe(network));

it('has no address to go by once the connection is gone', () => {
  const gone = { ip: undefined as unknown as string, headers: { 'x-forwarded-for': '192.0.2.1' } };
  expect(toLimitedAddress(gone, null)).toBe('');
  expect(toLimitedAddress(gone, 1)).toBe('');
});

it('trusts nobody, ranges, or so many hops', () => {
  expect(toTrustProxy(null)).toBe(false);
  expect(toTrustProxy(['10.0.0.0/8'])).toEqual(['10.0.0.0/8']);
  const trusts = toTrustProxy(2) as (address: string, hop: number) => boolean;
  expect([0, 1, 2].map((hop) => trusts('192.0.2.1', hop))).toEqual([true, true, false]);
});
