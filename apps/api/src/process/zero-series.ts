import { gapReasons } from '@widget-service/shared/domain/stream-start.ts';
import type { Metrics } from '@widget-service/shared/metrics/metrics.ts';
import type { FastifyInstance } from 'fastify';
import { type DescribedRoute, listProblemCodes } from '../openapi/described-route.ts';
import { closingReasons } from '../streams/fan-out/closing-rules.ts';

const hookOperation = 'example.events.receive';

/**
 * Creates the series of refused hooks, of streams and of refused connections at 0, once the routes are known.
 * Prometheus sees no increase in a series that starts at 1, so an alert would miss the first refusal after a start. The
 * series of a route begin with its first response: a pod has some 60 routes, and every series costs each scrape. The
 * alert on answers with 500 allows for that.
 */
export function registerZeroSeries(app: FastifyInstance, routes: readonly DescribedRoute[], metrics: Metrics): void {
  app.addHook('onReady', (done) => {
    createHookSeries(routes, metrics);
    createStreamSeries(metrics);
    for (const reason of ['per-address', 'per-pod', 'reset']) metrics.connectionsRefused.inc({ reason }, 0);
    done();
  });
}

function createHookSeries(routes: readonly DescribedRoute[], { hooksRefused }: Metrics): void {
  const problems = routes.filter(({ operationId }) => operationId === hookOperation).map(listProblemCodes);
  const codes = problems.flatMap((codesByStatus) => [...codesByStatus.values()].flat());
  // `internal` is not documented: it is a fault of the service. An alert must see the first one.
  for (const code of [...codes, 'internal']) hooksRefused.inc({ code }, 0);
}

function createStreamSeries({ streamsOpened, streamGaps, streamsRefused, streamsClosed }: Metrics): void {
  for (const start of ['fresh', 'resumed', 'gap']) streamsOpened.inc({ start }, 0);
  for (const reason of gapReasons) streamGaps.inc({ reason }, 0);
  for (const reason of closingReasons) streamsRefused.inc({ reason }, 0);
  for (const reason of [...closingReasons, 'client-left']) streamsClosed.inc({ reason }, 0);
}
