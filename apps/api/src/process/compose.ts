import { limitWithFallback } from '@widget-service/shared/adapters/fallback-rate-limiter.ts';
import { MemoryRateLimiter } from '@widget-service/shared/adapters/memory-rate-limiter.ts';
import type { Settings } from '@widget-service/shared/config/settings.ts';
import type { LogPosition } from '@widget-service/shared/domain/log-position.ts';
import { measureBackend } from '@widget-service/shared/metrics/measure-backend.ts';
import { createMetrics, recordBuild } from '@widget-service/shared/metrics/metrics.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import type { RateLimiter } from '@widget-service/shared/ports/rate-limiter.ts';
import { type Clock, systemClock } from '@widget-service/shared/runtime/clock.ts';
import type { Logger } from '@widget-service/shared/runtime/logger.ts';
import { createProcessStateWriter, createSupervisor } from '@widget-service/shared/tasks/process-tasks.ts';
import { Readiness } from '@widget-service/shared/tasks/readiness.ts';
import { StoreMatch } from '@widget-service/shared/tasks/store-match.ts';
import { createWorkerTasks } from '@widget-service/shared/tasks/worker-tasks.ts';
import { noTracer, type Tracer } from '@widget-service/shared/tracing/tracer.ts';
import { signInFailuresPerMinute } from '@widget-service/shared/usecases/access/sign-in-limits.ts';
import { findStreamStart } from '@widget-service/shared/usecases/events/find-stream-start.ts';
import { GroupCommit, type GroupCommitOptions } from '@widget-service/shared/usecases/hooks/group-commit.ts';
import { AuditTrail } from '../audit/audit-trail.ts';
import { limitByDigests, makeHashText } from '../audit/hash-text.ts';
import { type RateLimits, toRateLimits } from '../caller/limits/rate-limits.ts';
import type { IdentityProvider } from '../caller/oidc/identity-provider.ts';
import { toConnectionLimits } from '../http/connection-limits.ts';
import { type DescribePodDeps, makeDescribePod } from '../operators/pod-state.ts';
import { openRevocations, type PodRevocations } from '../revocation/end-revoked-streams.ts';
import { verifyStreamSession, verifyStreamToken } from '../revocation/stream-entitlement.ts';
import { announceHereFirst, makeRecallSession, makeRecordLastUsed } from '../revocation/token-caches.ts';
import { makeAdmitStream } from '../streams/admit-stream.ts';
import { FanOut, type FanOutOptions } from '../streams/fan-out/fan-out.ts';
import { recordStreamEnd } from '../streams/record-stream-end.ts';
import { listStreams, StreamDirectory } from '../streams/stream-directory.ts';
import { type AppDeps, buildApp } from './build-app.ts';
import { createGaugeSamplerTask } from './gauge-sampler.ts';
import { describeBackend } from './open-backend.ts';
import { createUseCases } from './use-cases.ts';

export interface PodDeps {
  readonly settings: Settings;
  readonly backend: Backend;
  readonly logger: Logger;
  /** Default: no tracing. */
  readonly tracer?: Tracer;
  /** Only tests replace parts. */
  readonly overrides?: Overrides;
}

/** Parts of a pod that a test replaces. */
export interface Overrides {
  readonly clock?: Clock;
  readonly connectionsPerPod?: number;
  readonly limits?: RateLimits;
  /** How long the pod waits for a shared rate limiter before it falls back, in milliseconds. */
  readonly limiterTimeoutMs?: number;
  readonly fanOut?: Partial<FanOutOptions>;
  readonly groupCommit?: Partial<GroupCommitOptions>;
  readonly signInFailuresPerMinute?: number;
  /** Of an embedded service. A worker of a cluster has its own. */
  readonly outboxScanAgeMs?: number;
  readonly tailPosition?: () => LogPosition | null;
  /** The calls of stores are not measured, so that a test can replace a method of a port while the pod runs. */
  readonly isUnmeasured?: boolean;
  /** What the overview says of tasks, for a pod whose tasks do not run. */
  readonly overview?: Pick<AppDeps, 'hasWorkers'> & Pick<DescribePodDeps, 'listNotReady'>;
  /** The caches of tokens, for such a pod: no task keeps its own ones fresh. */
  readonly caches?: AppDeps['caches'] & Pick<PodRevocations['caches'], 'sessions'>;
}

export type Pod = ReturnType<typeof composePod>;

/**
 * Connects the parts of a pod: the only place that knows all of them. It starts no task and does not listen.
 * `identityProvider` null: nobody signs in through one.
 */
export function composePod(deps: PodDeps, identityProvider: IdentityProvider | null) {
  const parts = composeParts(deps);
  return { ...parts, app: composeApp(parts, identityProvider) };
}

function composeParts(deps: PodDeps) {
  const { settings, logger, tracer = noTracer, overrides = {} } = deps;
  const clock = overrides.clock ?? systemClock;
  const facts = describeBackend(deps.backend.kind);
  const metrics = createMetrics(facts.processesHooks ? 'embedded' : 'api');
  recordBuild(metrics, deps.backend.kind);
  metrics.streamsLimit.set(settings.STREAMS_PER_POD);
  metrics.logLimitBytes.set(settings.EVENT_RETENTION_BYTES);
  const backend = overrides.isUnmeasured === true ? deps.backend : measureBackend(deps.backend, metrics);
  const fanOut = new FanOut({ backend, clock, logger, metrics, tracer, options: overrides.fanOut });
  const { hub, ring } = fanOut;
  const tailPosition = overrides.tailPosition ?? (() => ring.position());
  const revocations = openRevocations(backend, hub, clock, logger);
  const caches = overrides.caches ?? revocations.caches;
  const audit = new AuditTrail({ events: backend.auditEvents, settings, clock, logger, metrics });
  const readiness = new Readiness(settings, () => supervisor.checks(), true);
  const groupCommit = new GroupCommit(backend.hookQueue, clock, {
    backlogMax: settings.HOOK_BACKLOG_MAX,
    ...overrides.groupCommit,
  });
  const describePod = makeDescribePod({
    clock,
    streamsMax: settings.STREAMS_PER_POD,
    metrics,
    hub,
    tailPosition,
    hookFailure: () => groupCommit.failure,
    listNotReady: overrides.overview?.listNotReady ?? (() => readiness.listReasons()),
    isControlUnreachable: () => revocations.isControlUnreachable(),
  });
  const { processStates: states, control } = backend;
  const streamDirectory = new StreamDirectory({ states, describePod, hub, control, clock });
  const parts = {
    settings,
    overrides,
    facts,
    backend,
    groupCommit,
    caches,
    clock,
    logger,
    metrics,
    tracer,
    tailPosition,
    describePod,
    hasWorkers: overrides.overview?.hasWorkers ?? !facts.processesHooks,
    dataDir: facts.processesHooks ? settings.DATA_DIR : null,
  };
  const tasks = [
    fanOut.createTail(() => revocations.waitUntilFresh()),
    ...revocations.tasks,
    createProcessStateWriter(states, clock, describePod, () => listStreams(hub)),
    createGaugeSamplerTask(parts),
    ...(facts.processesHooks
      ? createWorkerTasks({ ...parts, outboxScanAgeMs: overrides.outboxScanAgeMs })
      : [new StoreMatch(backend, clock, logger).task]),
  ];
  const supervisor = createSupervisor(tasks, clock, logger, metrics);
  return { ...parts, supervisor, readiness, fanOut, revocations, audit, streamDirectory };
}

type Parts = ReturnType<typeof composeParts>;

/** Builds the public interface from the parts of the pod. */
function composeApp(parts: Parts, identityProvider: IdentityProvider | null) {
  const { settings, overrides, backend, facts, caches, clock, metrics, fanOut, revocations, audit } = parts;
  const streamTokens = revocations.caches.streams;
  const connectionLimits = toConnectionLimits(settings, facts.startsWithoutSettings);
  return buildApp({
    ...backend,
    ...parts,
    ...composeUseCases(parts),
    recallSession: makeRecallSession(caches.sessions, backend.sessions, clock),
    stream: {
      verifyToken: (token) => verifyStreamToken(streamTokens, token),
      verifySession: (digest) => verifyStreamSession(streamTokens, digest),
      generation: () => revocations.generation(),
      recordLastUsed: makeRecordLastUsed(backend.subscriptions, clock),
      findStreamStart: (requested) => findStreamStart(backend.eventLog, fanOut.ring, requested),
      hub: fanOut.hub,
      metrics,
      trustedProxies: settings.TRUSTED_PROXIES,
      recordEnd: (opened, reason) => recordStreamEnd(audit, clock.now(), opened, reason),
      admit: makeAdmitStream({ perOwner: settings.STREAMS_PER_OWNER, perPod: settings.STREAMS_PER_POD }),
      heartbeatIntervalMs: fanOut.options.heartbeatIntervalMs,
    },
    connectionLimits: { ...connectionLimits, perPod: overrides.connectionsPerPod ?? connectionLimits.perPod },
    identityProvider,
  });
}

/** Creates the use cases, with the rate limits and the group commit that they go through. */
function composeUseCases(parts: Parts) {
  const { settings, overrides, facts, backend, caches, clock, metrics } = parts;
  const hashText = makeHashText(backend.serviceKeys, settings.AUDIT_HMAC_KEY);
  // A shared limiter can be unavailable or slow. The pod then limits in its own memory.
  const limiter: RateLimiter = facts.sharesRateLimits
    ? limitWithFallback({
        shared: limitByDigests(backend.rateLimiter, hashText),
        local: new MemoryRateLimiter(clock),
        clock,
        onFallback: () => metrics.rateLimitFallbacks.inc(),
        ...(overrides.limiterTimeoutMs === undefined ? {} : { timeoutMs: overrides.limiterTimeoutMs }),
      })
    : backend.rateLimiter;
  const limits = overrides.limits ?? toRateLimits(settings);
  const useCases = createUseCases({
    ...parts,
    control: announceHereFirst(backend.control, caches.sessions),
    limiter,
    limits,
    signInFailuresPerMinute: overrides.signInFailuresPerMinute ?? signInFailuresPerMinute,
  });
  return { ...useCases, hashText, limiter, limits };
}
