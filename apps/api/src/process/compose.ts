import {
  toAllowedHosts,
  toConnectionLimits,
  toRateLimits,
  toSecurityContact,
} from '@widget-service/shared/config/component-options.ts';
import type { Settings } from '@widget-service/shared/config/settings.ts';
import type { Metrics } from '@widget-service/shared/metrics/metrics.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import type { Logger } from '@widget-service/shared/runtime/logger.ts';
import type { Tracer } from '@widget-service/shared/tracing/tracer.ts';
import { makeFindStreamStart } from '@widget-service/shared/usecases/events/find-stream-start.ts';
import { GroupCommit } from '@widget-service/shared/usecases/hooks/group-commit.ts';
import type { FastifyInstance } from 'fastify';
import type { AuditRecorder } from '../audit/audit-recorder.ts';
import { makeHashEmail } from '../audit/hash-email.ts';
import type { OverviewReader } from '../operators/open-overview.ts';
import type { ConfiguredIdentityProvider } from '../people/session/sign-in-by-identity.ts';
import { makeRecordLastUsed } from '../revocation/record-last-used.ts';
import type { PodRevocations } from '../revocation/revocations.ts';
import { makeVerifyStreamToken } from '../revocation/stream-entitlement.ts';
import { makeAdmitStream } from '../streams/admit-stream.ts';
import type { FanOut } from '../streams/fan-out/open-fan-out.ts';
import { makeRecordStreamEnd } from '../streams/record-stream-end.ts';
import type { StreamDirectory } from '../streams/stream-directory.ts';
import { registerStreamRoute } from '../streams/stream-events.ts';
import type { Deployment } from './backend-facts.ts';
import { buildApp } from './build-app.ts';
import { createPodRateLimiter } from './pod-rate-limiter.ts';
import { createUseCases } from './use-cases.ts';

export interface CompositionDeps {
  readonly settings: Settings;
  readonly backend: Backend;
  readonly deployment: Deployment;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
  readonly fanOut: FanOut;
  readonly revocations: PodRevocations;
  readonly audit: AuditRecorder;
  readonly streamDirectory: StreamDirectory;
  readonly overview: OverviewReader;
  /** Null: nobody signs in through a provider. */
  readonly identityProvider: ConfiguredIdentityProvider | null;
}

/** Builds the use cases from the ports, and the routes from the use cases. It opens no socket. */
export function composeApp(deps: CompositionDeps) {
  const { settings, backend, deployment, logger, metrics, tracer, fanOut, revocations, audit, streamDirectory } = deps;
  const clock = systemClock;
  const groupCommit = new GroupCommit(backend.hookQueue, clock, {
    jobItemsMax: settings.HOOK_BATCH_MAX,
    backlogMax: settings.HOOK_BACKLOG_MAX,
    sharePercent: settings.HOOK_BACKLOG_SHARE_PERCENT,
  });
  const limiter = createPodRateLimiter({
    limiter: backend.rateLimiter,
    isShared: deployment.sharesRateLimits,
    clock,
    metrics,
  });
  return buildApp({
    settings: {
      trustedProxies: settings.TRUSTED_PROXIES,
      publicBaseUrl: settings.PUBLIC_BASE_URL,
      allowedHosts: toAllowedHosts(settings),
      cookieSecure: settings.COOKIE_SECURE,
      passwordSignInEnabled: settings.PASSWORD_SIGN_IN_ENABLED,
      bodyLimitBytes: settings.BODY_LIMIT_BYTES,
      connections: toConnectionLimits(settings),
      consoleEnabled: settings.CONSOLE_ENABLED,
      docsEnabled: settings.DOCS_ENABLED,
      securityContact: toSecurityContact(settings),
    },
    useCases: createUseCases({
      backend,
      groupCommit,
      clock,
      tailPosition: () => fanOut.ring.position(),
      sessionIdleMs: settings.SESSION_IDLE_MS,
      sessionLifetimeMs: settings.SESSION_LIFETIME_MS,
      tokenMaxLifetimeMs: settings.TOKEN_MAX_LIFETIME_MS,
      rateLimiter: limiter,
      signInFailuresPerMinute: settings.SIGN_IN_FAILURES_PER_MINUTE,
    }),
    widgets: backend.widgets,
    ledger: backend.ledger,
    quarantine: backend.quarantine,
    eventLog: backend.eventLog,
    refusals: backend.refusals,
    audit,
    hashEmail: makeHashEmail({ configuredKey: settings.AUDIT_HMAC_KEY, serviceKeys: backend.serviceKeys }),
    users: backend.users,
    clock,
    rateLimits: { limiter, ...toRateLimits(settings) },
    grants: backend,
    streamDirectory,
    overview: deps.overview,
    hookTokens: revocations.caches.hooks,
    provisionTokens: revocations.caches.provisionTokens,
    logger,
    metrics,
    tracer,
    ...(deps.identityProvider === null ? {} : { identityProvider: deps.identityProvider }),
    registerStream: (scope) => registerStream(scope, deps),
  });
}

/** Registers the address of streams, with what admits them. */
function registerStream(
  scope: FastifyInstance,
  { settings, backend, metrics, fanOut, revocations, audit }: CompositionDeps,
) {
  const clock = systemClock;
  return registerStreamRoute(scope, {
    verifyToken: makeVerifyStreamToken(revocations.caches.streams),
    generation: revocations.generation,
    recordLastUsed: makeRecordLastUsed({ grants: backend.subscriptions, clock }),
    findStreamStart: makeFindStreamStart({ eventLog: backend.eventLog, recent: fanOut.ring }),
    hub: fanOut.hub,
    metrics,
    trustedProxies: settings.TRUSTED_PROXIES,
    recordEnd: makeRecordStreamEnd({ audit, clock }),
    admit: makeAdmitStream({ perOwner: settings.STREAMS_PER_TOKEN, perPod: settings.STREAMS_PER_POD }),
    heartbeatIntervalMs: settings.HEARTBEAT_INTERVAL_MS,
  });
}
