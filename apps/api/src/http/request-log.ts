import type { Metrics } from '@widget-service/shared/runtime/metrics.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest, onResponseHookHandler } from 'fastify';

const foreignIdMax = 128;

type CountStatus = (method: string, status: number) => void;

/**
 * One wide line and one count per request. Both name the route by its pattern: an address may hold a token and is
 * written nowhere. Registered per route, because fastify makes a new object whenever a request is asked for its route.
 */
export function registerRequestLog(app: FastifyInstance, metrics: Pick<Metrics, 'httpRequests'>): void {
  const observe = (route: string): onResponseHookHandler => {
    const count = createStatusCounter(metrics, route);
    return (request, reply, done) => {
      count(request.method, reply.statusCode);
      if (!request.isLogged) writeLine(request, reply, route);
      done();
    };
  };
  app.addHook('onRoute', (route) => {
    route.onResponse = [observe(route.url), ...[route.onResponse ?? []].flat()];
  });
  const observeUnmatched = observe('unmatched');
  app.addHook('onResponse', function (request, reply, done) {
    if (request.is404) observeUnmatched.call(this, request, reply, done);
    else done();
  });
}

/** Looks a counter up by a number, not by a text made for each request. */
function createStatusCounter({ httpRequests }: Pick<Metrics, 'httpRequests'>, route: string): CountStatus {
  const countersByMethod = new Map<string, Map<number, { inc(): void }>>();
  return (method, status) => {
    const counters = countersByMethod.get(method) ?? new Map();
    countersByMethod.set(method, counters);
    const counter = counters.get(status) ?? httpRequests.labels({ method, route, status });
    counters.set(status, counter);
    counter.inc();
  };
}

function writeLine(request: FastifyRequest, reply: FastifyReply, route: string): void {
  const { problemCode, failure, callerFields } = request;
  const line = {
    requestId: request.id,
    method: request.method,
    route,
    status: reply.statusCode,
    durationMs: Math.round(reply.elapsedTime * 1_000) / 1_000,
    ...(problemCode === null ? {} : { code: problemCode }),
    ...callerFields,
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
