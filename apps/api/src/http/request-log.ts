import type { Metrics } from '@widget-service/shared/runtime/metrics.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const foreignIdMax = 128;

interface Countable {
  inc(): void;
}

/**
 * One wide line and one count per request. Both name the route by its pattern: an address may hold a token and is
 * written nowhere.
 */
export function registerRequestLog(app: FastifyInstance, metrics: Pick<Metrics, 'httpRequests'>): void {
  const counters = new Map<string, Countable>();

  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unmatched';
    count(request.method, route, reply.statusCode);
    if (!request.isLogged) writeLine(request, reply, route);
    done();
  });

  function count(method: string, route: string, status: number): void {
    const key = `${method} ${route} ${status}`;
    let counter = counters.get(key);
    if (counter === undefined) {
      counter = metrics.httpRequests.labels({ method, route, status });
      counters.set(key, counter);
    }
    counter.inc();
  }
}

function writeLine(request: FastifyRequest, reply: FastifyReply, route: string): void {
  const { problemCode, failure, caller } = request;
  const line = {
    requestId: request.id,
    method: request.method,
    route,
    status: reply.statusCode,
    durationMs: Math.round(reply.elapsedTime * 1_000) / 1_000,
    ...(problemCode === null ? {} : { code: problemCode }),
    ...(caller === null ? {} : { userId: caller.user.id }),
    ...foreignId(request),
    ...(failure === null ? {} : { err: failure }),
  };
  if (reply.statusCode === 500) request.log.error(line, 'request');
  else if (reply.statusCode > 500) request.log.warn(line, 'request');
  else request.log.info(line, 'request');
}

/** The id a proxy gave the request: written down to be found by, never used. */
function foreignId(request: FastifyRequest): { foreignRequestId?: string } {
  const header = request.headers['x-request-id'];
  return typeof header === 'string' ? { foreignRequestId: header.slice(0, foreignIdMax) } : {};
}
