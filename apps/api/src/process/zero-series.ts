import { gapReasons } from '@widget-service/shared/domain/stream-start.ts';
import type { Metrics } from '@widget-service/shared/metrics/metrics.ts';
import type { FastifyInstance } from 'fastify';
import { toStatusClass } from '../http/request-log.ts';
import { type DescribedRoute, listProblemCodes } from '../openapi/described-route.ts';
import { closingReasons } from '../streams/fan-out/closing-rules.ts';

const hookOperation = 'example.events.receive';

/**
 * Creates every series that the interface can produce, at 0, once the routes are known. Prometheus sees no increase in
 * a series that starts at 1, so an alert would miss the first refusal after a start.
 */
export function registerZeroSeries(app: FastifyInstance, routes: readonly DescribedRoute[], metrics: Metrics): void {
  app.addHook('onReady', (done) => {
    for (const route of routes) createRequestSeries(route, metrics);
    createStreamSeries(metrics);
    for (const reason of ['per-address', 'per-pod', 'reset']) metrics.connectionsRefused.inc({ reason }, 0);
    done();
  });
}

function createRequestSeries(described: DescribedRoute, { httpRequests, httpSeconds, hooksRefused }: Metrics): void {
  const { pattern: route, responses, operationId } = described;
  const method = described.method.toUpperCase();
  const problems = listProblemCodes(described);
  // 500 is not documented: it is a fault of the service. An alert must see the first one.
  for (const status of [...Object.keys(responses.own).map(Number), ...problems.keys(), 500]) {
    httpRequests.inc({ method, route, status }, 0);
    httpSeconds.labels({ method, route, status: toStatusClass(status) });
  }
  if (operationId !== hookOperation) return;
  for (const code of [...problems.values()].flat()) hooksRefused.inc({ code }, 0);
  hooksRefused.inc({ code: 'internal' }, 0);
}

function createStreamSeries({ streamsOpened, streamGaps, streamsRefused, streamsClosed }: Metrics): void {
  for (const start of ['fresh', 'resumed', 'gap']) streamsOpened.inc({ start }, 0);
  for (const reason of gapReasons) streamGaps.inc({ reason }, 0);
  for (const reason of closingReasons) streamsRefused.inc({ reason }, 0);
  for (const reason of [...closingReasons, 'client-left']) streamsClosed.inc({ reason }, 0);
}
