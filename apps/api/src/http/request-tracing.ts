import type { Span, Tracer } from '@widget-service/shared/tracing/tracer.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

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
