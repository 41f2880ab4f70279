import type { AddressInfo } from 'node:net';
import { rateLimitsOf } from '@widget-service/shared/config/rate-limits.ts';
import type { Settings } from '@widget-service/shared/config/settings.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import { explainListenFailure } from '@widget-service/shared/runtime/explain-listen-failure.ts';
import type { Logger } from '@widget-service/shared/runtime/logger.ts';
import { createMetrics, type Metrics } from '@widget-service/shared/runtime/metrics.ts';
import { openOpsServer } from '@widget-service/shared/runtime/ops-server.ts';
import type { RunningProcess } from '@widget-service/shared/runtime/run-process.ts';
import { Supervisor, type Task } from '@widget-service/shared/runtime/supervisor.ts';
import { createWorkerTasks } from '@widget-service/shared/tasks/worker-tasks.ts';
import { createOpenStream } from '@widget-service/shared/usecases/events/open-stream.ts';
import { GroupCommit } from '@widget-service/shared/usecases/hooks/group-commit.ts';
import { buildApp } from './app.ts';
import { createNoteUse } from './auth/last-use.ts';
import { createVerifyStreamToken } from './auth/stream-token.ts';
import { drain, drainMaxMs } from './drain.ts';
import { ensureFirstAdmin } from './first-admin.ts';
import { describeFirstAdmin, describeFirstMinute } from './first-minute.ts';
import { createPodRateLimiter } from './pod-rate-limiter.ts';
import { registerStreamRoute } from './routes/events/stream-events.ts';
import { createAdmission } from './stream/admission.ts';
import { openControl, type PodControl } from './stream/open-control.ts';
import { type FanOut, openFanOut } from './stream/open-fan-out.ts';
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
  const control = openControl({ backend, hub, sessionIdleMs: settings.SESSION_IDLE_MS, clock, logger });
  const app = composeApp({ settings, backend, logger, metrics, fanOut, control });
  const supervisor = superviseTasks(
    tasksOf({
      settings,
      backend,
      logger,
      metrics,
      podTasks: [fanOut.createTail(control.confirmRights), ...control.tasks],
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
  await fanOut.reached(firstPositionWithinMs);
  const place = { host: settings.HOST, port: settings.PORT };
  await app.listen(place).catch((error) => {
    // The admin is stored by now: no later start will show the password.
    if (password !== null) print(describeFirstAdmin(email, password));
    throw explainListenFailure(error, { settings: 'HOST, PORT', ...place });
  });
  state.isStarted = true;
  const address = app.server.address() as AddressInfo;
  logger.info({ public: placeOf(address), ops: placeOf(ops.address), backend: backend.kind }, 'listening');
  if (backend.kind === 'embedded') {
    print(describeFirstMinute({ url: urlOf(address), opsUrl: urlOf(ops.address), email, password }));
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
  readonly control: PodControl;
}

/** Ports to use cases to routes. */
function composeApp({ settings, backend, logger, metrics, fanOut, control }: CompositionDeps) {
  const clock = systemClock;
  const gate = new GroupCommit(backend.hookQueue, clock, {
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
      gate,
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
    rateLimits: { limiter, ...rateLimitsOf(settings) },
    grants: backend,
    hookTokens: control.caches.hooks,
    provisionTokens: control.caches.provisionTokens,
    logger,
    metrics,
    registerStream: (scope) =>
      registerStreamRoute(scope, {
        verifyToken: createVerifyStreamToken(control.caches.streams),
        generation: control.generation,
        noteUse: createNoteUse({ grants: backend.subscriptions, clock }),
        openStream: createOpenStream({ eventLog: backend.eventLog, recent: fanOut.ring }),
        hub: fanOut.hub,
        metrics,
        admit: createAdmission({ perToken: settings.STREAMS_PER_TOKEN, perPod: settings.STREAMS_PER_POD }),
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
function tasksOf({ settings, backend, logger, metrics, podTasks }: TaskDeps): Task[] {
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

function placeOf({ address, port }: AddressInfo): { host: string; port: number } {
  return { host: address, port };
}

/** As a person on this machine reaches it. */
function urlOf({ address, family, port }: AddressInfo): string {
  const host = ['0.0.0.0', '::'].includes(address) ? 'localhost' : family === 'IPv6' ? `[${address}]` : address;
  return `http://${host}:${port}`;
}
