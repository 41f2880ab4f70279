import type { AddressInfo } from 'node:net';
import { toRateLimits } from '@widget-service/shared/config/component-options.ts';
import type { Settings } from '@widget-service/shared/config/settings.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import { explainListenFailure } from '@widget-service/shared/runtime/exit-error.ts';
import type { Logger } from '@widget-service/shared/runtime/logger.ts';
import { createMetrics, type Metrics } from '@widget-service/shared/runtime/metrics.ts';
import { openOpsServer } from '@widget-service/shared/runtime/ops-server.ts';
import type { RunningProcess } from '@widget-service/shared/runtime/run-process.ts';
import { Supervisor, type Task } from '@widget-service/shared/runtime/supervisor.ts';
import { createWorkerTasks } from '@widget-service/shared/tasks/worker-tasks.ts';
import { makeOpenStream } from '@widget-service/shared/usecases/events/open-stream.ts';
import { GroupCommit } from '@widget-service/shared/usecases/hooks/group-commit.ts';
import { buildApp } from './app.ts';
import { makeRecordLastUsed } from './auth/record-last-used.ts';
import { makeVerifyStreamToken } from './auth/stream-entitlement.ts';
import { drain, drainMaxMs } from './drain.ts';
import { describeFirstAdmin, describeFirstMinute, ensureFirstAdmin } from './first-start.ts';
import { createPodRateLimiter } from './limits/pod-rate-limiter.ts';
import { registerStreamRoute } from './routes/events/stream-events.ts';
import { makeAdmitStream } from './stream/admit-stream.ts';
import { type FanOut, openFanOut } from './stream/open-fan-out.ts';
import { openRevocations, type PodRevocations } from './stream/revocations.ts';
import { createUseCases } from './use-cases.ts';

export interface ApiDeps {
  readonly settings: Settings;
  /** Closed with the api. */
  readonly backend: Backend;
  readonly logger: Logger;
  /** Shows text to the person who started the process. */
  readonly print: (text: string) => void;
}

const firstPositionWithinMs = 1_000;

/** One api process: public interface, operators' port, tasks, on an opened backend. It listens when this resolves. */
export async function openApi({ settings, backend, logger, print }: ApiDeps): Promise<RunningProcess> {
  const clock = systemClock;
  const metrics = createMetrics();
  const fanOut = openFanOut({ backend, settings, clock, logger, metrics });
  const { hub } = fanOut;
  const control = openRevocations({ backend, hub, sessionIdleMs: settings.SESSION_IDLE_MS, clock, logger });
  const app = composeApp({ settings, backend, logger, metrics, fanOut, control });
  const supervisor = superviseTasks(
    selectTasks({
      settings,
      backend,
      logger,
      metrics,
      podTasks: [fanOut.createTail(control.waitUntilFresh), ...control.tasks],
    }),
    logger,
    metrics,
  );
  const state = { isStarted: false, isDraining: false };
  const ops = await openOpsServer(
    {
      registry: metrics.registry,
      problems: () => (state.isDraining ? ['draining'] : supervisor.problems()),
      isStarted: () => state.isStarted,
    },
    settings.OPS_HOST,
    settings.OPS_PORT,
  );

  const admin = await ensureFirstAdmin({ settings, backend, clock, logger });
  const email = admin?.email ?? settings.ADMIN_EMAIL ?? '';
  const password = admin?.generatedPassword ?? null;
  supervisor.start();
  // So that the first stream finds a position; a Redis that is away is not waited for longer.
  await fanOut.waitForPosition(firstPositionWithinMs);
  const place = { host: settings.HOST, port: settings.PORT };
  await app.listen(place).catch((error) => {
    // The admin is stored by now: no later start will show the password.
    if (password !== null) print(describeFirstAdmin(email, password));
    throw explainListenFailure(error, { settings: 'HOST, PORT', ...place });
  });
  state.isStarted = true;
  const address = app.server.address() as AddressInfo;
  logger.info(
    { public: toListenAddress(address), ops: toListenAddress(ops.address), backend: backend.kind },
    'listening',
  );
  if (backend.kind === 'embedded') {
    print(describeFirstMinute({ url: toLocalUrl(address), opsUrl: toLocalUrl(ops.address), email, password }));
  }

  return {
    stopMaxMs: drainMaxMs({ delayMs: settings.DRAIN_DELAY_MS, windowMs: settings.DRAIN_WINDOW_MS }),
    stop: async (isHurried) => {
      logger.info('draining');
      await drain({
        clock,
        delayMs: isHurried ? 0 : settings.DRAIN_DELAY_MS,
        windowMs: isHurried ? 0 : settings.DRAIN_WINDOW_MS,
        becomeNotReady: () => {
          state.isDraining = true;
        },
        endStreams: (windowMs) => fanOut.hub.drain(windowMs),
        finishRequests: async () => {
          // New connections are refused first, so that no stream opens after the last one was ended.
          const closed = app.close();
          fanOut.hub.close();
          await closed;
        },
        stopTasks: () => supervisor.stop(),
        closeBackend: () => backend.close(),
      });
      await ops.close();
      logger.info('stopped');
    },
  };
}

interface CompositionDeps {
  readonly settings: Settings;
  readonly backend: Backend;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly fanOut: FanOut;
  readonly control: PodRevocations;
}

/** Ports to use cases to routes. */
function composeApp({ settings, backend, logger, metrics, fanOut, control }: CompositionDeps) {
  const clock = systemClock;
  const groupCommit = new GroupCommit(backend.hookQueue, clock, {
    batchMax: settings.HOOK_BATCH_MAX,
    backlogMax: settings.HOOK_BACKLOG_MAX,
  });
  const limiter = createPodRateLimiter({ backend, clock, metrics });
  return buildApp({
    settings: {
      trustedProxies: settings.TRUSTED_PROXIES,
      publicBaseUrl: settings.PUBLIC_BASE_URL,
      cookieSecure: settings.COOKIE_SECURE,
      bodyLimitBytes: settings.BODY_LIMIT_BYTES,
    },
    useCases: createUseCases({
      backend,
      groupCommit,
      clock,
      tailPosition: () => fanOut.ring.position(),
      sessionIdleMs: settings.SESSION_IDLE_MS,
      sessionLifetimeMs: settings.SESSION_LIFETIME_MS,
      rateLimiter: limiter,
      signInFailuresPerMinute: settings.SIGN_IN_FAILURES_PER_MINUTE,
    }),
    widgets: backend.widgets,
    ledger: backend.ledger,
    users: backend.users,
    clock,
    rateLimits: { limiter, ...toRateLimits(settings) },
    grants: backend,
    hookTokens: control.caches.hooks,
    provisionTokens: control.caches.provisionTokens,
    logger,
    metrics,
    registerStream: (scope) =>
      registerStreamRoute(scope, {
        verifyToken: makeVerifyStreamToken(control.caches.streams),
        generation: control.generation,
        recordLastUsed: makeRecordLastUsed({ grants: backend.subscriptions, clock }),
        openStream: makeOpenStream({ eventLog: backend.eventLog, recent: fanOut.ring }),
        hub: fanOut.hub,
        metrics,
        admit: makeAdmitStream({ perToken: settings.STREAMS_PER_TOKEN, perPod: settings.STREAMS_PER_POD }),
        heartbeatIntervalMs: settings.HEARTBEAT_INTERVAL_MS,
      }),
  });
}

interface TaskDeps {
  readonly settings: Settings;
  readonly backend: Backend;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** What every pod runs. */
  readonly podTasks: readonly Task[];
}

/** On the cluster the workers process; the embedded service is its own worker. */
function selectTasks({ settings, backend, logger, metrics, podTasks }: TaskDeps): Task[] {
  if (backend.kind === 'cluster') return [...podTasks];
  const outboxScanAgeMs = settings.OUTBOX_SCAN_AGE_MS;
  return [...podTasks, ...createWorkerTasks({ backend, clock: systemClock, logger, metrics, outboxScanAgeMs })];
}

function superviseTasks(tasks: readonly Task[], logger: Logger, metrics: Metrics): Supervisor {
  return new Supervisor(tasks, {
    clock: systemClock,
    onFailure: (task, err) => {
      metrics.taskFailures.inc({ task });
      logger.error({ task, err }, 'task.failed');
    },
  });
}

function toListenAddress({ address, port }: AddressInfo): { host: string; port: number } {
  return { host: address, port };
}

/** As a person on this machine reaches it. */
function toLocalUrl({ address, family, port }: AddressInfo): string {
  const host = ['0.0.0.0', '::'].includes(address) ? 'localhost' : family === 'IPv6' ? `[${address}]` : address;
  return `http://${host}:${port}`;
}
