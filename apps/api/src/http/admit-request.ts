import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { KnownPaths } from './known-paths.ts';
import { type Refusal, sendProblem } from './problem.ts';
import { securityHeaders } from './security-headers.ts';

const urlMaxLength = 8_192;

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
}

function refusalOf({ raw }: FastifyRequest): Refusal | null {
  if ((raw.url?.length ?? 0) > urlMaxLength) return { code: 'uri-too-long' };
  const hosts = countHosts(raw.rawHeaders);
  if (hosts > 1 || (hosts === 0 && raw.httpVersion !== '1.0')) {
    return { code: 'malformed-request', detail: 'The request must have exactly one Host header.' };
  }
  return null;
}

/** Node keeps only the first of repeated Host headers, while a proxy may have gone by the last. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}

function sendNoRoute(request: FastifyRequest, reply: FastifyReply, paths: KnownPaths): FastifyReply {
  const allowed = paths.allowedAt(request.raw.url ?? '');
  if (allowed === null) return sendProblem(reply, { code: 'not-found' });
  return sendProblem(reply.header('allow', allowed), { code: 'method-not-allowed' });
}
