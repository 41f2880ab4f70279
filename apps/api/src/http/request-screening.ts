import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Refusal, sendProblem } from './problem.ts';
import { countHeader } from './request-headers.ts';
import { decodePath, extractPath, isStreamAddress, isTokenAddress } from './request-target.ts';

const urlMaxLength = 8_192;
/** A name or address, and a port (RFC 3986, section 3.2). */
const hostPattern = /^(?:\[[\da-f:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})+)(?::\d*)?$/i;

/**
 * The first look at every request: gives the answer its headers, and refuses what no route needs to see. Unknown
 * paths and methods are refused here, so that their bodies are not read.
 */
export function registerRequestScreening(app: FastifyInstance, paths: KnownPaths): void {
  app.addHook('onRequest', (request, reply, done) => {
    setCommonHeaders(request, reply);
    const refusal = findRefusal(request);
    if (refusal !== null) {
      sendProblem(reply, refusal);
    } else if (request.is404) {
      sendNoRoute(request, reply, paths);
    } else {
      done();
    }
  });
  app.setNotFoundHandler((request, reply) => sendNoRoute(request, reply, paths));
}

export function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(securityHeaders);
  reply.header('x-request-id', request.id);
  // Also on what is refused: a page may not even see the status of an answer that does not say this.
  if (isStreamAddress(request.raw.url ?? '')) reply.header('access-control-allow-origin', '*');
}

function findRefusal({ raw }: FastifyRequest): Refusal | null {
  const url = raw.url ?? '';
  if (url.length > urlMaxLength && !isMerelyWrongToken(url)) return { code: 'uri-too-long' };
  const hosts = countHeader(raw, 'host');
  if (hosts > 1 || (hosts === 0 && raw.httpVersion !== '1.0')) {
    return { code: 'malformed-request', detail: 'The request must have exactly one Host header.' };
  }
  if (!isHost(raw.headers.host ?? '')) {
    return { code: 'malformed-request', detail: 'The Host header is not well-formed.' };
  }
  return null;
}

/** With it begin the addresses that are handed out; without one they have a name of their own. */
function isHost(host: string): boolean {
  return host === '' || (hostPattern.test(host) && URL.canParse(`http://${host}/`));
}

/** An over-long token is refused by its route, in the form of all other wrong ones. */
function isMerelyWrongToken(url: string): boolean {
  return isTokenAddress(url) && extractPath(url).length > urlMaxLength;
}

function sendNoRoute(request: FastifyRequest, reply: FastifyReply, paths: KnownPaths): FastifyReply {
  const allowed = paths.allowedAt(request.raw.url ?? '');
  if (allowed === null) return sendProblem(reply, { code: 'not-found' });
  return sendProblem(reply.header('allow', allowed), { code: 'method-not-allowed' });
}

export interface KnownPaths {
  /** The methods that a path has, in the form of `Allow`; null when there is no such path. */
  allowedAt(url: string): string | null;
}

/** Keeps the paths of all routes that are registered from now on, so that an unknown method can be told from an unknown path. */
export function collectKnownPaths(app: FastifyInstance): KnownPaths {
  const methodsByPattern = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const methods = methodsByPattern.get(url) ?? new Set();
    for (const each of [method].flat()) methods.add(each);
    methodsByPattern.set(url, methods);
  });
  return {
    allowedAt: (url) => {
      const segments = (decodePath(extractPath(url)) ?? '').split('/');
      const allowed = new Set<string>();
      for (const [pattern, methods] of methodsByPattern) {
        if (!matches(pattern.split('/'), segments)) continue;
        for (const method of methods) allowed.add(method);
      }
      return allowed.size === 0 ? null : [...allowed].sort().join(', ');
    },
  };
}

/** As the router matches, to which nothing is a value too. */
function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  if (pattern.length !== segments.length) return false;
  return pattern.every((part, index) => part.startsWith(':') || part === segments[index]);
}

/** What every answer carries. A stream's answer replaces `cache-control` by its own. */
export const securityHeaders = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
} as const;
