import { BlockList, isIP } from 'node:net';
import type { Settings } from '@widget-service/shared/config/settings.ts';
import { isLoopback, normalizeHost } from '@widget-service/shared/runtime/host-name.ts';
import type { AttemptSource } from '@widget-service/shared/usecases/access/sign-in-limits.ts';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/**
 * `TRUSTED_PROXIES`: address ranges, or the number of proxies in front of the service. An empty list (`none`): there is
 * no proxy. Null: no proxy is trusted, but there may be one.
 */
export type TrustedProxies = readonly string[] | number | null;

const forwardingHeaders = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto'] as const;
/** The form in which some proxies forward addresses: with a port, and IPv6 in brackets. */
const forwardedAddressPattern = /^(?:\[([^\]]+)\]|(\d+\.\d+\.\d+\.\d+))(?::\d+)?$/;
/** One customer usually has a whole IPv6 /64, so limits count the /64 network: its first four groups. */
const networkGroups = 4;

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

/**
 * Converts the setting to Fastify's option `trustProxy`. A number of proxies becomes a function of the hop (0 is the
 * direct peer): Fastify 5.12 trusts no proxy at all if the option is a number.
 */
export function toTrustProxy(trusted: TrustedProxies): false | string[] | ((address: string, hop: number) => boolean) {
  if (isWithoutTrusted(trusted)) return false;
  return typeof trusted === 'number' ? (_address, hop) => hop < trusted : [...trusted];
}

function isWithoutTrusted(trusted: TrustedProxies): trusted is null | readonly [] {
  return trusted === null || (typeof trusted === 'object' && trusted.length === 0);
}

/**
 * Makes the function that returns whether a peer may be a proxy with the connections of many clients. A trusted proxy
 * is one. If only the number of proxies is set, every peer may be one. If nothing is set, peers on private networks may
 * be.
 */
export function makeIsProxyPeer(trusted: TrustedProxies): (address: string) => boolean {
  if (trusted === null) return isPrivateAddress;
  if (typeof trusted === 'number') return () => true;
  const proxies = new BlockList();
  for (const range of trusted) {
    const [network = '', bits] = range.split('/');
    const family = isIP(network) === 4 ? 'ipv4' : 'ipv6';
    if (bits === undefined) proxies.addAddress(network, family);
    else proxies.addSubnet(network, Number(bits), family);
  }
  return (address) => {
    const plain = normalizeAddress(address);
    const version = isIP(plain);
    return version !== 0 && proxies.check(plain, version === 4 ? 'ipv4' : 'ipv6');
  };
}

/**
 * Removes the ports from the addresses in `X-Forwarded-For`. With ports, no proxy would match a trusted range, and each
 * connection of a client would count as another client. Register this before every Fastify hook that reads
 * `request.ip`. Does nothing if no proxy is trusted: the header is then ignored.
 */
export function registerForwardedAddresses(app: FastifyInstance, trusted: TrustedProxies): void {
  if (isWithoutTrusted(trusted)) return;
  app.addHook('onRequest', ({ raw: { headers } }, _reply, done) => {
    const forwarded = headers['x-forwarded-for'];
    // A string even if the header is repeated: Node joins the values with commas.
    if (typeof forwarded === 'string') headers['x-forwarded-for'] = forwarded.split(',').map(stripPort).join(',');
    done();
  });
}

/** Returns an entry that is not an address unchanged. */
function stripPort(entry: string): string {
  const [, bracketed, plain] = forwardedAddressPattern.exec(entry.trim()) ?? [];
  const address = bracketed ?? plain ?? '';
  return isIP(address) === 0 ? entry : address;
}

/**
 * Logs one warning per process when a request seems to come through a proxy although no proxy is trusted. All callers
 * then seem to have the proxy's address. Only a peer on a private network counts: any other client may forge forwarding
 * headers.
 */
export function registerProxyWarning(app: FastifyInstance, trusted: TrustedProxies): void {
  if (trusted !== null) return;
  let hasWarned = false;
  app.addHook('onRequest', (request, _reply, done) => {
    if (!hasWarned && hasUntrustedForwarding(request)) {
      hasWarned = true;
      request.log.warn(
        { peer: normalizeAddress(readClientAddress(request)), setting: 'TRUSTED_PROXIES' },
        'REQUESTS COME THROUGH A PROXY THAT IS NOT TRUSTED: the service ignores its forwarding headers, does not ' +
          'count sign-in failures of all clients behind the proxy together, and uses the Host header that the proxy ' +
          'sends for URLs and the origin check. Set TRUSTED_PROXIES to the addresses of the proxy, or to none if there ' +
          'is no proxy.',
      );
    }
    done();
  });
}

/**
 * Returns the client's address for records: the IPv4 address, or the /64 network of an IPv6 address. Null if the
 * request seems to come through a proxy that is not trusted (the address is then that of the proxy), and once the
 * connection is closed.
 */
export function toClientNetwork(
  request: Pick<FastifyRequest, 'ip' | 'headers'>,
  trusted: TrustedProxies,
): string | null {
  const { address, isShared } = toAttemptSource(request, trusted);
  return isShared || address === '' ? null : address;
}

/**
 * Returns how the sign-in limits count a request. The address does not depend on forwarding headers that are not
 * trusted: with and without them, a peer uses up the same buckets.
 */
export function toAttemptSource(
  request: Pick<FastifyRequest, 'ip' | 'headers'>,
  trusted: TrustedProxies,
): AttemptSource {
  const isShared = trusted === null && hasUntrustedForwarding(request);
  return { address: readClientNetwork(request), isShared };
}

/** Returns the address of the peer, or the one that a trusted proxy forwards; of IPv6, the /64 network. */
export function readClientNetwork(request: Pick<FastifyRequest, 'ip'>): string {
  return toNetwork(readClientAddress(request));
}

function hasUntrustedForwarding(request: Pick<FastifyRequest, 'ip' | 'headers'>): boolean {
  return (
    forwardingHeaders.some((name) => request.headers[name] !== undefined) &&
    isPrivateAddress(readClientAddress(request))
  );
}

/**
 * Returns the client's address to show to people: IPv4, or the whole IPv6 address. Returns null if it cannot be known:
 * the request comes through a proxy that is not trusted, or the connection is closed.
 */
export function toShownAddress(
  request: Pick<FastifyRequest, 'ip' | 'headers'>,
  trusted: TrustedProxies,
): string | null {
  if (trusted === null && hasUntrustedForwarding(request)) return null;
  const address = normalizeAddress(readClientAddress(request));
  return isIP(address) === 0 ? null : address;
}

/** Once the connection is closed, `request.ip` is undefined, although its type says string. */
function readClientAddress(request: Pick<FastifyRequest, 'ip'>): string {
  return (request.ip as string | undefined) ?? '';
}

/** Whether an address is a loopback, link-local, private or carrier-grade NAT address. Not an address: false. */
export function isPrivateAddress(address: string): boolean {
  const plain = normalizeAddress(address);
  const version = isIP(plain);
  return version !== 0 && privateRanges.check(plain, version === 4 ? 'ipv4' : 'ipv6');
}

/**
 * Returns an IPv6 address as its /64 network, for example `2001:db8:0:0::/64`, and an IPv4-mapped IPv6 address as IPv4.
 * Returns an IPv4 address, and a text that is not an address, unchanged.
 */
export function toNetwork(address: string): string {
  const plain = normalizeAddress(address);
  if (isIP(plain) !== 6) return plain;
  const [head = '', tail] = plain.split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const tailGroups = tail === '' ? [] : tail.split(':');
    groups.push(...new Array<string>(8 - groups.length - tailGroups.length).fill('0'), ...tailGroups);
  }
  return `${groups.slice(0, networkGroups).join(':')}::/64`;
}

/** Removes the zone (`%eth0`), and converts an IPv4-mapped IPv6 address to IPv4. */
function normalizeAddress(address: string): string {
  return isIP(address) === 4 ? address : normalizeHost(address);
}

/**
 * Builds the public URL of a path of this service. `publicBaseUrl` has no trailing slash; if it is null, the URL begins
 * with the origin that the client addressed.
 */
export function toPublicUrl(request: FastifyRequest, publicBaseUrl: string | null, path: string): string {
  return `${publicBaseUrl ?? request.ownOrigin}${path}`;
}

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * The scheme and host by which the client addressed the service, for example `https://widgets.example`. They are
     * those that a trusted proxy forwards, if any. With secure cookies, the scheme is `https`, except for a
     * client that addresses a loopback name.
     */
    readonly ownOrigin: string;
    /** Whether the client uses the service over HTTPS only: then the response may forbid plain HTTP for the future. */
    readonly isHttpsOnly: boolean;
  }
}

/**
 * Declares `ownOrigin` and `isHttpsOnly` on every request. A browser sends a secure cookie over HTTPS only. So a
 * request that arrives over plain HTTP then comes from a proxy that terminates TLS, whatever that proxy forwards. The
 * exception is a loopback name: browsers trust such an address without TLS.
 */
export function decorateOwnOrigin(app: FastifyInstance, settings: Settings): void {
  const { COOKIE_SECURE: cookieSecure, PUBLIC_BASE_URL: publicBaseUrl } = settings;
  const hasHttpsBase = cookieSecure && publicBaseUrl !== null && new URL(publicBaseUrl).protocol === 'https:';
  const readOrigin = (request: FastifyRequest) =>
    `${cookieSecure && !isLoopbackAddressed(request) ? 'https' : request.protocol.toLowerCase()}://${request.host || 'localhost'}`;
  app.decorateRequest('ownOrigin', {
    getter() {
      return readOrigin(this);
    },
  });
  app.decorateRequest('isHttpsOnly', {
    getter() {
      return hasHttpsBase || (cookieSecure && !isLoopbackAddressed(this));
    },
  });
}

/** Whether the client addressed the service by a loopback address, or by no host at all. */
function isLoopbackAddressed({ hostname }: FastifyRequest): boolean {
  return hostname === '' || isLoopback(hostname);
}
