import { isIP } from 'node:net';

/**
 * Returns a host in one form, so that two can be compared: lower case, IPv6 addresses without brackets and abbreviated,
 * no dot at the end, and an IPv4 address that an IPv6 one contains (`::ffff:127.0.0.1`) as IPv4. A text that is no host
 * is returned in lower case.
 */
export function normalizeHost(host: string): string {
  const plain = host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  if (isIP(plain) === 6) return unmapIpv4(abbreviateIpv6(plain));
  return plain.length > 1 ? plain.replace(/\.$/, '') : plain;
}

function abbreviateIpv6(address: string): string {
  const [withoutZone = ''] = address.split('%', 1);
  const url = `http://[${withoutZone}]/`;
  return URL.canParse(url) ? new URL(url).hostname.slice(1, -1) : address;
}

/** The form in which `abbreviateIpv6` returns an IPv4-mapped address. */
const mappedIpv4Pattern = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/;

function unmapIpv4(address: string): string {
  const [, high, low] = mappedIpv4Pattern.exec(address) ?? [];
  if (high === undefined || low === undefined) return address;
  const words = [high, low].map((group) => Number.parseInt(group, 16));
  return words.flatMap((word) => [word >> 8, word & 0xff]).join('.');
}

/** Whether a host is an IPv4 or IPv6 address, with or without brackets. */
function isIpLiteral(host: string): boolean {
  return isIP(host.replace(/^\[(.*)\]$/, '$1')) !== 0;
}

/** Whether an address stands for every address of a machine, such as `::` or `0.0.0.0`. */
export function isAnyAddress(address: string): boolean {
  return ['::', '0.0.0.0'].includes(normalizeHost(address));
}

/**
 * Whether only this machine can connect to an address, or to the host of a URL: `localhost` and the names below it
 * (RFC 6761), `127.0.0.0/8` and `::1`.
 */
export function isLoopback(host: string): boolean {
  const plain = normalizeHost(host);
  return plain === '::1' || isLocalhost(plain) || (isIP(plain) === 4 && plain.startsWith('127.'));
}

/** Whether a host name is `localhost` or below it: no name server can give it another address (RFC 6761). */
function isLocalhost(host: string): boolean {
  const plain = normalizeHost(host);
  return plain === 'localhost' || plain.endsWith('.localhost');
}

/** The host of a `Host` header without its port. */
const portPattern = /:\d*$/;

/**
 * Makes the function that returns whether the service answers to a `Host` header: to every address, to `localhost` and
 * names below it, and to `names`, whatever the port; with the name `*`, to every host. A missing or empty header is
 * allowed, because browsers always send one.
 *
 * A page cannot forge the header. But its owner can give the name of the page the address of this process (DNS
 * rebinding), and then its scripts reach this process by that name.
 */
export function makeIsAllowedHost(names: readonly string[]): (header: string) => boolean {
  if (names.includes('*')) return () => true;
  const allowed = new Set(names.map(normalizeHost));
  // Nearly all requests name the same host.
  let lastAllowed = '';
  return (header) => {
    if (header === lastAllowed) return true;
    const host = header.replace(portPattern, '');
    if (host !== '' && !isIpLiteral(host) && !isLocalhost(host) && !allowed.has(normalizeHost(host))) return false;
    lastAllowed = header;
    return true;
  };
}

/** Returns a URL with several hosts (`redis://user:secret@a:1,b:2/0`) as one URL for each host. */
export function splitHosts(url: string): string[] {
  const [, start = '', hosts = url, end = ''] = /^([a-z]+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/is.exec(url) ?? [];
  return hosts.split(',').map((host) => `${start}${host}${end}`);
}

/** Returns the name of the database in MongoDB: the path of a `MONGODB_URL`, which may name several hosts. */
export function findDatabaseName(url: string): string {
  return decodeURIComponent(/^[^/?]*\/\/[^/?]*\/([^?]*)/.exec(url)?.[1] ?? '') || 'widgets';
}
