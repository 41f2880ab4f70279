import { readTraceId } from '@widget-service/shared/domain/trace-context.ts';
import type { Metrics } from '@widget-service/shared/metrics/metrics.ts';
import type { Span, Tracer } from '@widget-service/shared/tracing/tracer.ts';
import type {
  FastifyContextConfig,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onResponseHookHandler,
} from 'fastify';

/** The only foreign ids that are logged: others could confuse a reader or attack the reader's terminal. */
const foreignRequestIdPattern = /^[\x21-\x7e]{1,128}$/;

type RequestMetrics = Pick<Metrics, 'httpRequests' | 'httpSeconds'>;
/** Counts a response. `seconds` is how long the request took; `traceId` is set if its trace is sampled. */
type ObserveResponse = (method: string, status: number, seconds: number, traceId?: string) => void;
type LogFields = NonNullable<FastifyContextConfig['logFields']>;

/**
 * Counts and times each request (`httpRequests`, `httpSeconds`) and writes one log line for it, unless its handler
 * wrote its own (`request.isLogged`). Both happen when the response has ended. Both name the route by its pattern,
 * never by the address, because an address may hold a token. A request that matches no route has the name `unmatched`.
 *
 * Three kinds of requests are not counted here, and logged elsewhere if at all: what Node rejects before Fastify sees
 * it (`answerClientError`, `answerExpectation`), what Fastify rejects before it looks for a route
 * (`answerFrameworkError`), and a stream that was opened (`stream-events.ts`).
 *
 * Call this function before the routes are registered. It adds a handler to each route, because reading
 * `request.routeOptions` would build a new object for every request.
 */
export function registerRequestLog(app: FastifyInstance, metrics: RequestMetrics): void {
  const createObserver = (route: string, logFields: LogFields = () => ({})): onResponseHookHandler => {
    const observe = makeObserveResponse(metrics, route);
    return (request, reply, done) => {
      const traceId = request.span === null ? undefined : readTraceId(request.span.context);
      observe(request.method, reply.statusCode, reply.elapsedTime / 1_000, traceId);
      if (!request.isLogged) writeLine(request, reply, route, logFields(request));
      done();
    };
  };
  app.addHook('onRoute', (route) => {
    route.onResponse = [createObserver(route.url, route.config?.logFields), ...[route.onResponse ?? []].flat()];
  });
  const observeUnmatched = createObserver('unmatched');
  app.addHook('onResponse', function (request, reply, done) {
    if (request.is404) observeUnmatched.call(this, request, reply, done);
    else done();
  });
}

type ObserveSeconds = (seconds: number, traceId?: string) => void;

/** Caches what a response is recorded with, by method and status, so that no label text is built per request. */
function makeObserveResponse({ httpRequests, httpSeconds }: RequestMetrics, route: string): ObserveResponse {
  const observersByMethod = new Map<string, Map<number, ObserveSeconds>>();
  const createObserver = (method: string, status: number) => {
    const counter = httpRequests.labels({ method, route, status });
    const histogram = httpSeconds.labels({ method, route, status: toStatusClass(status) });
    return (seconds: number, traceId?: string) => {
      counter.inc();
      histogram.observe(seconds, traceId);
    };
  };
  return (method, status, seconds, traceId) => {
    const observers = observersByMethod.get(method) ?? new Map<number, ObserveSeconds>();
    observersByMethod.set(method, observers);
    const observe = observers.get(status) ?? createObserver(method, status);
    observers.set(status, observe);
    observe(seconds, traceId);
  };
}

/** Returns the class of a status, for example `4xx`. */
function toStatusClass(status: number): string {
  return `${Math.floor(status / 100)}xx`;
}

function writeLine(
  request: FastifyRequest,
  reply: FastifyReply,
  route: string,
  routeFields: ReturnType<LogFields>,
): void {
  const { problem, failure, callerFields } = request;
  const line = {
    requestId: request.id,
    method: request.method,
    route,
    status: reply.statusCode,
    durationMs: Math.round(reply.elapsedTime * 1_000) / 1_000,
    ...(problem === null ? {} : { code: problem.code }),
    ...callerFields,
    ...routeFields,
    ...readForeignRequestId(request),
    ...(failure === null ? {} : { err: failure }),
  };
  // 500 is a fault of the service. 503 is expected while a store is unavailable.
  if (reply.statusCode === 500) request.log.error(line, 'request');
  else if (reply.statusCode > 500) request.log.warn(line, 'request');
  else request.log.info(line, 'request');
}

/** The `X-Request-Id` that a proxy or client sent, if it is visible ASCII. It is only logged, for searching. */
function readForeignRequestId(request: FastifyRequest): { foreignRequestId?: string } {
  const header = request.headers['x-request-id'];
  return typeof header === 'string' && foreignRequestIdPattern.test(header) ? { foreignRequestId: header } : {};
}

/**
 * Starts a span for each request whose trace is sampled (`request.span`), and ends it when the response has ended. The
 * span names the route by its pattern, never by the address: an address may hold a token. It also leaves out the
 * client's address, user agent and all other headers.
 *
 * A stream that was opened has no span: it lasts for half an hour. If tracing is off, this function adds no handler.
 */
export function registerRequestTracing(app: FastifyInstance, tracer: Tracer): void {
  if (!tracer.isEnabled) return;
  app.addHook('onRequest', (request, _reply, done) => {
    const { traceparent } = request.headers;
    request.span = tracer.startRequest(typeof traceparent === 'string' ? traceparent : undefined);
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    if (request.span !== null) endSpan(request.span, request, reply);
    done();
  });
}

function endSpan(span: Span, { method, routeOptions, is404, problem }: FastifyRequest, reply: FastifyReply): void {
  const route = is404 ? 'unmatched' : (routeOptions.url ?? 'unmatched');
  const { statusCode } = reply;
  span.end({
    name: `${method} ${route}`,
    attributes: {
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': statusCode,
      ...(problem === null ? {} : { 'widget.problem.code': problem.code }),
    },
    ...(statusCode >= 500 ? { errorType: problem?.code ?? `${statusCode}` } : {}),
  });
}
