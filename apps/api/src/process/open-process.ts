import type { AddressInfo } from 'node:net';
import { toIdentityProviderOptions } from '@widget-service/shared/config/component-options.ts';
import type { Settings } from '@widget-service/shared/config/settings.ts';
import { measureBackend } from '@widget-service/shared/metrics/measure-backend.ts';
import { createMetrics, type Metrics, makeFormatMetrics, recordBuild } from '@widget-service/shared/metrics/metrics.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import { explainListenFailure } from '@widget-service/shared/runtime/exit-error.ts';
import { isAnyAddress } from '@widget-service/shared/runtime/host-name.ts';
import { resolveListenHost } from '@widget-service/shared/runtime/listen-addresses.ts';
import type { Logger } from '@widget-service/shared/runtime/logger.ts';
import { openOpsServer } from '@widget-service/shared/runtime/ops-server.ts';
import { readServiceVersion } from '@widget-service/shared/runtime/process-identity.ts';
import type { RunningProcess } from '@widget-service/shared/runtime/run-process.ts';
import type { Task } from '@widget-service/shared/runtime/supervisor.ts';
import { createSupervisor, recordTasks } from '@widget-service/shared/tasks/create-supervisor.ts';
import { describeNotReady, makeNameStores } from '@widget-service/shared/tasks/name-stores.ts';
import { createWorkerTasks } from '@widget-service/shared/tasks/worker-tasks.ts';
import { noTracer, type Tracer } from '@widget-service/shared/tracing/tracer.ts';
import { createAuditRecorder } from '../audit/audit-recorder.ts';
import { openIdentityProvider } from '../caller/oidc/open-identity-provider.ts';
import { listenPublicly } from '../http/listen.ts';
import { openOverview } from '../operators/open-overview.ts';
import { makeReadFigures } from '../operators/read-figures.ts';
import type { ConfiguredIdentityProvider } from '../people/session/sign-in-by-identity.ts';
import { openRevocations } from '../revocation/revocations.ts';
import type { Hub } from '../streams/fan-out/hub.ts';
import { openFanOut } from '../streams/fan-out/open-fan-out.ts';
import { openStreamDirectory } from '../streams/stream-directory.ts';
import { describeDeployment } from './backend-facts.ts';
import { type CompositionDeps, composeApp } from './compose.ts';
import { drain, drainMaxMs } from './drain.ts';
import { describeFirstAdmin, ensureFirstAdmin, formatStartupBanner } from './first-start.ts';
import { createStateSamplerTask } from './gauge-sampler.ts';
import { sharePeerRequests } from './several-answerers.ts';

export interface ApiDeps {
  readonly settings: Settings;
  /** Stopping the api closes it. */
  readonly backend: Backend;
  readonly logger: Logger;
  /** Prints text for the person who started the process. */
  readonly print: (text: string) => void;
  /** Stopping the api closes it. Left out: no tracing. */
  readonly tracer?: Tracer;
}

/** How long the start waits for the first read of the event log. Redis may be unreachable for longer than that. */
const firstPositionMaxMs = 1_000;

/**
 * Opens one api process on an opened backend: the tasks, the operators' HTTP server and the public interface. It
 * listens once the promise resolves.
 *
 * Rejects with `UnavailableError` if the first admin cannot be stored, and with the error of `explainListenFailure` if
 * it cannot listen on an address. What is open then stays open: the caller ends the process.
 */
export async function openApi(deps: ApiDeps): Promise<RunningProcess> {
  const { settings, logger, print } = deps;
  const clock = systemClock;
  const pod = composePod(deps, await configureIdentityProvider(settings));
  const { app, backend, deployment, supervisor, fanOut, audit, streamDirectory, overview } = pod;
  const state = { isStarted: false, isDraining: false };
  const ops = await openOperatorsPort(settings, pod, state);

  const admin = await ensureFirstAdmin({
    settings,
    users: backend.users,
    mayGeneratePassword: deployment.startsWithoutSettings,
    clock,
    logger,
    audit,
  });
  const email = admin?.email ?? settings.ADMIN_EMAIL ?? '';
  const password = admin?.generatedPassword ?? null;
  supervisor.start();
  // Until the pod has a position in the event log, it ends each new stream with `unavailable`.
  await fanOut.waitForPosition(firstPositionMaxMs);
  const listenAddress = { host: settings.HOST, port: settings.PORT };
  const addressesOfHost = resolveListenHost(settings.HOST);
  const listening = addressesOfHost.then((found) => listenPublicly(app, found, settings.PORT));
  const listener = await listening.catch((error) => {
    // The admin is already stored, so no later start prints the password.
    if (password !== null) print(describeFirstAdmin(email, password));
    throw explainListenFailure(error, { settings: 'HOST, PORT', ...listenAddress });
  });
  state.isStarted = true;
  const { address } = listener;
  const addresses = { public: toListenAddress(address), ops: toListenAddress(ops.address) };
  logger.info({ ...addresses, backend: backend.kind }, 'listening');
  if (deployment.startsWithoutSettings) {
    const urls = { url: toLocalUrl(address), opsUrl: toLocalUrl(ops.address) };
    print(formatStartupBanner({ ...urls, hasConsole: settings.CONSOLE_ENABLED, email, password }));
  }

  return {
    stopMaxMs: drainMaxMs({ delayMs: settings.DRAIN_DELAY_MS, windowMs: settings.DRAIN_WINDOW_MS }),
    stop: async (isHurried) => {
      logger.info('draining');
      await drain({
        clock,
        delayMs: isHurried ? 0 : settings.DRAIN_DELAY_MS,
        windowMs: isHurried ? 0 : settings.DRAIN_WINDOW_MS,
        markNotReady: () => {
          state.isDraining = true;
        },
        endStreams: (windowMs) => fanOut.hub.drain(windowMs),
        finishRequests: async () => {
          // `closed` resolves only when all responses have ended. So the hub ends the open streams first, and from then
          // on each new one at once.
          const closed = listener.close();
          fanOut.hub.close();
          await closed;
        },
        stopTasks: async () => {
          streamDirectory.close();
          overview.close();
          await supervisor.stop();
        },
        closeBackend: () => backend.close(),
      });
      await deps.tracer?.close();
      await ops.close();
      logger.info('stopped');
    },
  };
}

/** Opens the operators' HTTP server. What it says about the process follows `state`. */
function openOperatorsPort(
  settings: Settings,
  { metrics, supervisor, fanOut, nameStores }: ReturnType<typeof composePod>,
  state: { readonly isStarted: boolean; readonly isDraining: boolean },
) {
  return openOpsServer(
    {
      formatMetrics: makeFormatMetrics(metrics.registry),
      checks: () => [
        { name: 'drain', reason: state.isDraining ? 'the process is draining' : null },
        ...nameStores(supervisor.checks()),
      ],
      isStarted: () => state.isStarted,
      updateGauges: () => {
        recordTasks(metrics, supervisor);
        recordUnsent(metrics, fanOut.hub);
      },
    },
    { host: settings.OPS_HOST, port: settings.OPS_PORT, allowedHosts: settings.ALLOWED_HOSTS },
  );
}

async function configureIdentityProvider(settings: Settings): Promise<ConfiguredIdentityProvider | null> {
  const options = toIdentityProviderOptions(settings);
  if (options === null) return null;
  return { ...options, provider: await openIdentityProvider(options, { clock: systemClock }) };
}

/** Connects the parts of the process. It starts no task and does not listen. Other pods can ask it from now on. */
function composePod(deps: ApiDeps, identityProvider: ConfiguredIdentityProvider | null) {
  const { settings, logger, tracer = noTracer } = deps;
  const clock = systemClock;
  const deployment = describeDeployment(deps.backend.kind);
  const metrics = createMetrics(deployment.processesHooks ? 'embedded' : 'api');
  recordBuild(metrics, deps.backend.kind);
  metrics.streamsLimit.set(settings.STREAMS_PER_POD);
  const backend = measureBackend(deps.backend, metrics);
  const fanOut = openFanOut({ backend, settings, clock, logger, metrics, tracer });
  const { hub, ring } = fanOut;
  const revocations = openRevocations({ backend, hub, sessionIdleMs: settings.SESSION_IDLE_MS, clock, logger });
  const audit = createAuditRecorder({ store: backend.auditEvents, logger, metrics, clock });
  const podRequests = sharePeerRequests(backend.podRequests);
  const streamDirectory = openStreamDirectory({ podRequests, hub });
  const nameStores = makeNameStores(settings);
  const overview = openOverview({
    backend,
    podRequests,
    hasWorkers: !deployment.processesHooks,
    clock,
    serviceVersion: readServiceVersion(),
    streamsMax: settings.STREAMS_PER_POD,
    readFigures: makeReadFigures(metrics),
    countStreams: () => hub.size(),
    tailPosition: () => ring.position(),
    listNotReady: () => describeNotReady(nameStores(supervisor.checks())),
  });
  const parts = { settings, backend, deployment, logger, metrics, tracer, fanOut, revocations, audit, streamDirectory };
  const app = composeApp({ ...parts, overview, identityProvider });
  const tasks = [
    fanOut.createTail(revocations.waitUntilFresh),
    ...revocations.tasks,
    overview.task,
    createStateSamplerTask({ backend, tailPosition: () => ring.position(), clock, metrics }),
    ...(deployment.processesHooks ? createHookTasks({ settings, backend, logger, metrics, tracer }) : []),
  ];
  const supervisor = createSupervisor(tasks, { clock, logger, metrics });
  return {
    app,
    backend,
    deployment,
    metrics,
    supervisor,
    fanOut,
    audit,
    streamDirectory,
    overview,
    nameStores,
  };
}

function recordUnsent(metrics: Metrics, hub: Hub): void {
  const unsentBytes = Array.from(hub.connections(), ({ sink }) => sink.unsentBytes()).filter((bytes) => bytes > 0);
  metrics.streamsBackpressured.set(unsentBytes.length);
  metrics.streamUnsentBytes.set(unsentBytes.reduce((sum, bytes) => sum + bytes, 0));
}

/** The worker's tasks, for a process that is its own worker. */
function createHookTasks({
  settings,
  backend,
  logger,
  metrics,
  tracer,
}: Pick<CompositionDeps, 'settings' | 'backend' | 'logger' | 'metrics' | 'tracer'>): Task[] {
  const outboxScanAgeMs = settings.OUTBOX_SCAN_AGE_MS;
  return createWorkerTasks({ backend, clock: systemClock, logger, metrics, outboxScanAgeMs, tracer });
}

function toListenAddress({ address, port }: AddressInfo): { host: string; port: number } {
  return { host: address, port };
}

/** The URL for a browser on this machine. */
function toLocalUrl({ address, family, port }: AddressInfo): string {
  const host = isAnyAddress(address) ? 'localhost' : family === 'IPv6' ? `[${address}]` : address;
  return `http://${host}:${port}`;
}
