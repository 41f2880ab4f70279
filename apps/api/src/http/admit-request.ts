import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { KnownPaths } from './known-paths.ts';
import { type Refusal, sendProblem } from './problem.ts';
import { countHeader } from './repeated-header.ts';
import { isStreamAddress, isTokenAddress, pathOf } from './request-target.ts';
import { securityHeaders } from './security-headers.ts';

const urlMaxLength = 8_192;
/** A name or address, and a port (RFC 3986, section 3.2). */
const hostPattern = /^(?:\[[\da-f:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})+)(?::\d*)?$/i;

/**
 * The first look at every request: gives the answer its headers, and refuses what no route needs to see. Unknown
 * paths and methods are refused here, so that their bodies are not read.
 */
export function registerAdmission(app: FastifyInstance, paths: KnownPaths): void {
  app.addHook('onRequest', (request, reply, done) => {
    setCommonHeaders(request, reply);
    const refusal = refusalOf(request);
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

function refusalOf({ raw }: FastifyRequest): Refusal | null {
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
  return isTokenAddress(url) && pathOf(url).length > urlMaxLength;
}

function sendNoRoute(request: FastifyRequest, reply: FastifyReply, paths: KnownPaths): FastifyReply {
  const allowed = paths.allowedAt(request.raw.url ?? '');
  if (allowed === null) return sendProblem(reply, { code: 'not-found' });
  return sendProblem(reply.header('allow', allowed), { code: 'method-not-allowed' });
}
