import type { Settings } from '@widget-service/shared/config/settings.ts';
import { isLoopback, makeIsAllowedHost } from '@widget-service/shared/runtime/host-name.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Refusal, sendProblem } from './problem.ts';
import { countHeader } from './request-headers.ts';
import { httpsOnlyHeaders, postedHookHeaders, securityHeaders, streamAddressHeaders } from './security-headers.ts';

/** In characters. */
const urlMaxLength = 8_192;
/** A host name or address, and an optional port (RFC 3986, sections 3.2.2 and 3.2.3). */
const hostPattern = /^(?:\[[\da-f:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})+)(?::\d*)?$/i;

const schemePattern = /^https?$/i;

/**
 * Sets the common response headers, and checks every request before its route does. It rejects:
 * - an overlong URL
 * - a missing (except with HTTP/1.0), repeated or malformed `Host`
 * - forwarding headers of a trusted proxy that cannot begin a URL
 * - a host that the service does not answer to
 * - an unknown path (404), and a method that the path does not support (405)
 *
 * It runs before the body is read, so the bodies of such requests are never read.
 */
export function registerRequestScreening(app: FastifyInstance, settings: Settings): void {
  const paths = collectKnownPaths(app);
  const allowedHosts = listAllowedHosts(settings);
  const checks = {
    isValidHost: makeIsValidHost(),
    isValidForwardedHost: makeIsValidHost(),
    isAllowedHost: allowedHosts === null ? () => true : makeIsAllowedHost(allowedHosts),
  };
  app.addHook('onRequest', (request, reply, done) => {
    setCommonHeaders(request, reply);
    const refusal = findRefusal(request, checks);
    if (refusal !== null) {
      sendProblem(reply, refusal);
    } else if (request.is404) {
      sendUnmatched(request, reply, paths);
    } else {
      done();
    }
  });
  // The Fastify hook above responds to every request without a route. Wherever else Fastify's own 404 could appear
  // (`reply.callNotFound`), this one replaces it, because Fastify's body is not a problem (RFC 9457).
  app.setNotFoundHandler((request, reply) => sendUnmatched(request, reply, paths));
}

/** Sets the headers that every response has: the security headers, `X-Request-Id` and, at stream addresses, CORS. */
export function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  const { url = '', method } = request.raw;
  reply.headers(method === 'POST' && isHookAddress(url) ? postedHookHeaders : securityHeaders);
  reply.header('x-request-id', request.id);
  if (request.isHttpsOnly) reply.headers(httpsOnlyHeaders);
  // Error responses need them too: without CORS, a page of another origin cannot even read the status.
  if (isStreamAddress(url)) reply.headers(streamAddressHeaders);
}

interface HostChecks {
  readonly isValidHost: (host: string) => boolean;
  /** One of its own, because each check remembers only the last host. */
  readonly isValidForwardedHost: (host: string) => boolean;
  readonly isAllowedHost: (host: string) => boolean;
}

function findRefusal(request: FastifyRequest, checks: HostChecks): Refusal | null {
  const { raw } = request;
  const url = raw.url ?? '';
  if (url.length > urlMaxLength && !hasOverlongToken(url)) return { code: 'uri-too-long' };
  const hosts = countHeader(raw, 'host');
  if (hosts > 1 || (hosts === 0 && raw.httpVersion !== '1.0')) {
    return { code: 'malformed-request', detail: 'The request must have exactly one Host header.' };
  }
  if (!checks.isValidHost(raw.headers.host ?? '')) {
    return { code: 'malformed-request', detail: 'The Host header is not well-formed.' };
  }
  // Fastify takes both from the forwarding headers if the peer is a trusted proxy. They become part of URLs in
  // responses.
  const { host, protocol } = request;
  if (host !== raw.headers.host && !checks.isValidForwardedHost(host ?? '')) {
    return { code: 'malformed-request', detail: 'X-Forwarded-Host is not well-formed.' };
  }
  if (!schemePattern.test(protocol)) {
    return { code: 'malformed-request', detail: 'X-Forwarded-Proto is neither http nor https.' };
  }
  // The host that a trusted proxy forwards counts: the proxy may send its own name for the pods as `Host`.
  return checks.isAllowedHost(host ?? '') ? null : { code: 'host-not-allowed' };
}

/**
 * Makes the check of the form of `Host`: the URLs in responses start with it. An empty host is accepted: those URLs
 * then use `localhost` (`toPublicUrl`). Nearly all requests name the same host, so the last valid one is not checked
 * again.
 */
function makeIsValidHost(): (host: string) => boolean {
  let lastValid = '';
  return (host) => {
    if (host === lastValid) return true;
    if (host !== '' && !(hostPattern.test(host) && URL.canParse(`http://${host}/`))) return false;
    lastValid = host;
    return true;
  };
}

/** Whether the URL is too long because of its token. Its route rejects it with the response of any wrong token. */
function hasOverlongToken(url: string): boolean {
  return isTokenAddress(url) && extractPath(url).length > urlMaxLength;
}

function sendUnmatched(request: FastifyRequest, reply: FastifyReply, paths: KnownPaths): FastifyReply {
  const allowed = paths.findAllowedMethods(request.raw.url ?? '');
  if (allowed === null) return sendProblem(reply, { code: 'not-found' });
  return sendProblem(reply.header('allow', allowed), { code: 'method-not-allowed' });
}

/** The paths and methods of all registered routes. */
interface KnownPaths {
  /** Returns the methods of a path in the form of the header `Allow` (`GET, HEAD`); null if no route has this path. */
  findAllowedMethods(url: string): string | null;
}

/**
 * Collects the path and the methods of every route that is registered after this call, to distinguish a method that a
 * path does not support (405) from an unknown path (404).
 */
function collectKnownPaths(app: FastifyInstance): KnownPaths {
  const methodsByPattern = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method, config }) => {
    if (config?.isUnlisted === true) return;
    const methods = methodsByPattern.get(url) ?? new Set();
    for (const name of [method].flat()) methods.add(name);
    methodsByPattern.set(url, methods);
  });
  return {
    findAllowedMethods: (url) => {
      const segments = (decodePath(extractPath(url)) ?? '').split('/');
      const matching = [...methodsByPattern].filter(([pattern]) => matchesPattern(pattern.split('/'), segments));
      // A path with fewer parameters is another resource: `deliveries/redrive` is no delivery.
      const fewest = Math.min(...matching.map(([pattern]) => countParameters(pattern)));
      const own = matching.filter(([pattern]) => countParameters(pattern) === fewest);
      const allowed = new Set(own.flatMap(([, methods]) => [...methods]));
      return allowed.size === 0 ? null : [...allowed].sort().join(', ');
    },
  };
}

function countParameters(pattern: string): number {
  return pattern.split('/:').length - 1;
}

/** Matches like the router: a parameter also matches an empty segment. */
function matchesPattern(pattern: readonly string[], segments: readonly string[]): boolean {
  if (pattern.length !== segments.length) return false;
  return pattern.every((part, index) => part.startsWith(':') || part === segments[index]);
}

/** Below this prefix, the next segment, or the one after `hooks`, is a token. */
const tokenPrefix = '/api/v1/events/';
const hookPrefix = `${tokenPrefix}hooks/`;
const absoluteFormOrigin = /^https?:\/\/[^/?#]*/i;
/** No token contains this character, and percent-decoding leaves it unchanged. */
const replacementCharacter = '\ufffd';

/**
 * Converts the target of a request line to the one form that is routed: path and query.
 * - The absolute form loses its scheme and authority; its empty path becomes `/`. Every server must accept this form
 *   (RFC 9112, section 3.2.2).
 * - Any other target that does not begin with `/`, such as `*`, gets a leading `/`, and no route matches. Node's
 *   parser has already rejected targets such as `api/v1/session`.
 * - In a token address whose path has invalid percent-encoding, each `%` becomes U+FFFD. The route then finds no such
 *   token and sends its usual response. Otherwise the router would reject the address with another error.
 */
export function normalizeTarget(target: string): string {
  const url = target.startsWith('/') ? target : toOriginForm(target);
  if (!url.includes('%') || !isTokenAddress(url) || isDecodable(extractPath(url))) return url;
  return url.replaceAll('%', replacementCharacter);
}

function toOriginForm(target: string): string {
  const pathAndQuery = target.replace(absoluteFormOrigin, '');
  return pathAndQuery.startsWith('/') ? pathAndQuery : `/${pathAndQuery}`;
}

/** Returns the path of a URL in origin form, without its query and fragment. */
export function extractPath(url: string): string {
  const end = url.search(/[?#]/);
  return end === -1 ? url : url.slice(0, end);
}

/**
 * Whether the path begins as stream and hook addresses do. An encoded prefix (`%65vents`) does not count, although the
 * router decodes it: the route answers such an address as usual.
 */
export function isTokenAddress(url: string): boolean {
  return url.startsWith(tokenPrefix);
}

/** Whether the URL is a stream address. Pages of any origin may read its responses (CORS). */
export function isStreamAddress(url: string): boolean {
  return isTokenAddress(url) && !isHookAddress(url);
}

/** Whether the URL is that of the stream of a session. Only pages of this service may read its responses. */
export function isSessionStreamAddress(url: string): boolean {
  return extractPath(url) === '/api/v1/session/stream';
}

function isHookAddress(url: string): boolean {
  return url.startsWith(hookPrefix);
}

/**
 * Percent-decodes a path as the router does: `%2F` stays as it is, so it separates no segments. Returns null if the
 * encoding is invalid.
 */
export function decodePath(path: string): string | null {
  if (!path.includes('%')) return path;
  try {
    return decodeURI(path);
  } catch {
    return null;
  }
}

function isDecodable(path: string): boolean {
  return decodePath(path) !== null;
}

/**
 * Returns the host names that the public interface answers to, besides addresses and `localhost`. Null: every name,
 * because nothing says which are its own. On loopback no other machine can connect, and a name other than `localhost`
 * can only be that of a page that attacks this machine.
 */
function listAllowedHosts({ HOST, PUBLIC_BASE_URL, ALLOWED_HOSTS }: Settings): readonly string[] | null {
  if (PUBLIC_BASE_URL === null && ALLOWED_HOSTS.length === 0 && !isLoopback(HOST)) return null;
  return [...(PUBLIC_BASE_URL === null ? [] : [new URL(PUBLIC_BASE_URL).hostname]), ...ALLOWED_HOSTS];
}
