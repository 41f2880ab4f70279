import { gapReasons } from '@widget-service/shared/domain/stream-start.ts';
import type { Metrics } from '@widget-service/shared/metrics/metrics.ts';
import type { RateLimiter } from '@widget-service/shared/ports/rate-limiter.ts';
import type { Tracer } from '@widget-service/shared/tracing/tracer.ts';
import type { FastifyInstance } from 'fastify';
import { registerAudit } from '../audit/audit.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import type { HashText } from '../audit/hash-text.ts';
import { decorateCredentials, makeVerifyBearer, makeVerifyHookToken } from '../caller/credentials.ts';
import { type PolicyDeps, registerPolicies } from '../caller/enforce-policy.ts';
import { makeTakeApiPermit, type RateLimits, registerHookLimits } from '../caller/limits/rate-limits.ts';
import { registerErrorHandler } from '../http/answer-failure.ts';
import {
  ConnectionLimiter,
  type ConnectionLimits,
  readOpenFilesMax,
  registerConnectionRefusals,
} from '../http/connection-limits.ts';
import { createServer } from '../http/create-server.ts';
import { decorateOwnOrigin, registerForwardedAddresses, registerProxyWarning } from '../http/forwarding.ts';
import { registerJsonBodies } from '../http/json-body.ts';
import { registerRequestLog, registerRequestTracing } from '../http/request-log.ts';
import { registerRequestScreening } from '../http/request-screening.ts';
import { decorateRequests, registerRequestDeadline } from '../http/request-state.ts';
import { validateWithZod } from '../http/zod-validation.ts';
import { collectDescribedRoutes, type DescribedRoute, listProblemCodes } from '../openapi/described-route.ts';
import { makeRecordLastUsed } from '../revocation/token-caches.ts';
import type { RouteDeps } from '../route-deps.ts';
import { refuseConnection } from '../streams/admit-stream.ts';
import { closingReasons } from '../streams/fan-out/closing-rules.ts';
import { registerRoutes } from './routes.ts';

/** Everything that the routes need, and what runs before them. */
export interface AppDeps extends Omit<RouteDeps, 'describedRoutes'> {
  /** Closed with the app. */
  readonly audit: AuditTrail;
  readonly hashText: HashText;
  readonly recallSession: PolicyDeps['recallSession'];
  readonly connectionLimits: ConnectionLimits;
  readonly limiter: RateLimiter;
  readonly limits: RateLimits;
  readonly tracer: Tracer;
}

/**
 * Builds the public interface. It opens no socket: the caller calls `listen`. Fastify runs `registerRoutes` only then,
 * so a mistake in a route makes `listen` reject.
 */
export function buildApp(deps: AppDeps): FastifyInstance {
  const { settings, caches, clock, logger, metrics, limiter, limits } = deps;
  const { TRUSTED_PROXIES: trustedProxies, PUBLIC_BASE_URL: publicBaseUrl } = settings;
  const app = createServer(settings, logger);
  const openFilesMax = readOpenFilesMax();
  const connections = new ConnectionLimiter({ ...deps, limits: deps.connectionLimits, openFilesMax, trustedProxies });
  connections.watch(app.server);
  // The order matters. Fastify hooks run in the order of their registration, and a function that examines routes sees
  // only those that are registered after it.
  decorateRequests(app);
  decorateCredentials(app);
  decorateOwnOrigin(app, settings);
  registerRequestTracing(app, deps.tracer);
  registerConnectionRefusals(app, connections, (refusal) => refuseConnection(metrics, refusal));
  registerForwardedAddresses(app, trustedProxies);
  registerRequestScreening(app, settings);
  registerErrorHandler(app);
  registerProxyWarning(app, trustedProxies);
  registerRequestLog(app, metrics);
  registerRequestDeadline(app);
  registerHookLimits(app, { limiter, limit: limits.hooks, clock });
  registerJsonBodies(app);
  app.setValidatorCompiler(validateWithZod);
  // Handlers return typed bodies: validating them again would cost time and change nothing.
  app.setSerializerCompiler(() => JSON.stringify);
  registerPolicies(app, {
    findSession: (sessionId, network) => deps.manageSessions.find(sessionId, network),
    recallSession: deps.recallSession,
    verifyBearer: makeVerifyBearer(caches.provisionTokens, makeRecordLastUsed(deps.provisionTokens, clock)),
    verifyHookToken: makeVerifyHookToken(caches.hooks),
    takePermit: makeTakeApiPermit({ limiter, limit: limits.api }),
    publicBaseUrl,
  });
  registerAudit(app, { audit: deps.audit, hashText: deps.hashText, clock, trustedProxies });
  const describedRoutes = collectDescribedRoutes(app);
  registerZeroSeries(app, describedRoutes, metrics);
  app.register(async (scope) => registerRoutes(scope, { ...deps, describedRoutes }));
  return app;
}

const hookOperation = 'example.events.receive';

/**
 * Creates the series of refused hooks, of streams and of refused connections at 0, once the routes are known.
 * Prometheus sees no increase in a series that starts at 1, so an alert would miss the first refusal after a start. The
 * series of a route begin with its first response: a pod has some 60 routes, and every series costs each scrape. The
 * alert on answers with 500 allows for that.
 */
function registerZeroSeries(app: FastifyInstance, routes: readonly DescribedRoute[], metrics: Metrics): void {
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
