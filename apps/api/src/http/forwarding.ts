import { BlockList, isIP } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** As the settings have it: ranges of addresses, or how many proxies stand in front; null: none is trusted. */
export type TrustedProxies = readonly string[] | number | null;

const forwardingHeaders = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto'] as const;
/** An address as some proxies forward it: with its port, and an IPv6 one in brackets. */
const forwardedAddress = /^(?:\[([^\]]+)\]|(\d+\.\d+\.\d+\.\d+))(?::\d+)?$/;
const mappedPrefix = /^::ffff:(?=\d+\.)/i;
/** One customer has a whole /64, so a single address of it means nothing. */
const limitedGroups = 4;

const privateRanges = new BlockList();
for (const [network, prefix] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
  ['100.64.0.0', 10],
] as const) {
  privateRanges.addSubnet(network, prefix, 'ipv4');
}
privateRanges.addAddress('::1', 'ipv6');
privateRanges.addSubnet('fc00::', 7, 'ipv6');
privateRanges.addSubnet('fe80::', 10, 'ipv6');

/** The setting in the form that fastify acts on. It trusts nobody by a number alone, so hops are counted here. */
export function toTrustProxy(trusted: TrustedProxies): false | string[] | ((address: string, hop: number) => boolean) {
  if (trusted === null) return false;
  return typeof trusted === 'number' ? (_address, hop) => hop < trusted : [...trusted];
}

/**
 * Has the addresses that proxies forward read without their ports: with them no proxy would be known as a trusted one,
 * and each connection of a client would count as another client. To be registered before what asks for addresses.
 */
export function registerForwardedAddresses(app: FastifyInstance, trusted: TrustedProxies): void {
  if (trusted === null) return;
  app.addHook('onRequest', ({ raw: { headers } }, _reply, done) => {
    const forwarded = headers['x-forwarded-for'];
    // Node joins repeated ones.
    if (typeof forwarded === 'string') headers['x-forwarded-for'] = forwarded.split(',').map(withoutPort).join(',');
    done();
  });
}

function withoutPort(entry: string): string {
  const [, bracketed, plain] = forwardedAddress.exec(entry.trim()) ?? [];
  const address = bracketed ?? plain ?? '';
  return isIP(address) === 0 ? entry : address;
}

/**
 * Warns once when a request seems to come through a proxy although none is trusted: all callers then look like one.
 * Only a peer on a private network is likely to be a proxy of ours; anybody else may send such headers to deceive.
 */
export function registerProxyWarning(app: FastifyInstance, trusted: TrustedProxies): void {
  if (trusted !== null) return;
  let hasWarned = false;
  app.addHook('onRequest', (request, _reply, done) => {
    if (!hasWarned && hasUntrustedForwarding(request)) {
      hasWarned = true;
      request.log.warn(
        { peer: request.ip, setting: 'TRUSTED_PROXIES' },
        'REQUESTS COME THROUGH A PROXY THAT IS NOT TRUSTED: its forwarding headers are ignored, sign-in failures ' +
          'cannot be counted per address, and URLs and the origin check go by the Host it sends. ' +
          'Set TRUSTED_PROXIES to its addresses.',
      );
    }
    done();
  });
}

/**
 * By what the limits per address count a request: its address, or the network of an IPv6 one. Null when the request
 * comes through a proxy that is not trusted: what is behind it cannot be told apart.
 */
export function toLimitedAddress(
  request: Pick<FastifyRequest, 'ip' | 'headers'>,
  trusted: TrustedProxies,
): string | null {
  return trusted === null && hasUntrustedForwarding(request) ? null : toNetwork(clientAddress(request));
}

function hasUntrustedForwarding(request: Pick<FastifyRequest, 'ip' | 'headers'>): boolean {
  return (
    forwardingHeaders.some((name) => request.headers[name] !== undefined) && isPrivateAddress(clientAddress(request))
  );
}

/** Nothing once the connection is gone, whatever the type says. */
function clientAddress(request: Pick<FastifyRequest, 'ip'>): string {
  return (request.ip as string | undefined) ?? '';
}

/** Whether an address is this machine's own or one of a private network. */
export function isPrivateAddress(address: string): boolean {
  const plain = normalizeAddress(address);
  const version = isIP(plain);
  return version !== 0 && privateRanges.check(plain, version === 4 ? 'ipv4' : 'ipv6');
}

export function toNetwork(address: string): string {
  const plain = normalizeAddress(address);
  if (isIP(plain) !== 6) return plain;
  const [head = '', tail] = plain.toLowerCase().split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const after = tail === '' ? [] : tail.split(':');
    // A dotted end stands for two groups.
    const length = after.length + (tail.includes('.') ? 1 : 0);
    groups.push(...new Array<string>(8 - groups.length - length).fill('0'), ...after);
  }
  const network = groups.slice(0, limitedGroups).map((group) => group.replace(/^0+(?=.)/, ''));
  return `${network.join(':')}::/64`;
}

/** Without a zone, and an IPv4 address that came over an IPv6 socket as what it is. */
function normalizeAddress(address: string): string {
  return address.replace(/%.*$/, '').replace(mappedPrefix, '');
}

/** The address of a path of this service as the outside reaches it. `publicBaseUrl` has no slash at its end. */
export function toPublicUrl(request: FastifyRequest, publicBaseUrl: string | null, path: string): string {
  return `${publicBaseUrl ?? `${request.protocol}://${request.host || 'localhost'}`}${path}`;
}
