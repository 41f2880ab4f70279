import type { AddressInfo } from 'node:net';
import type { Settings } from '@widget-service/shared/config/settings.ts';
import { describeError, ServiceError } from '@widget-service/shared/domain/errors.ts';
import { formatMetrics } from '@widget-service/shared/metrics/format-metrics.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import { explainListenFailure } from '@widget-service/shared/runtime/exit-error.ts';
import { isAnyAddress } from '@widget-service/shared/runtime/host-name.ts';
import { resolveListenHost } from '@widget-service/shared/runtime/listen-addresses.ts';
import type { Logger } from '@widget-service/shared/runtime/logger.ts';
import { openOpsServer } from '@widget-service/shared/runtime/ops-server.ts';
import type { RunningProcess } from '@widget-service/shared/runtime/run-process.ts';
import { recordTasks } from '@widget-service/shared/tasks/process-tasks.ts';
import { type IdentityProvider, openIdentityProvider } from '../caller/oidc/identity-provider.ts';
import { listenPublicly } from '../http/create-server.ts';
import { composePod, type Pod, type PodDeps } from './compose.ts';
import { describeFirstAdmin, ensureFirstAdmin, formatStartupBanner } from './first-start.ts';

/** How long the start waits for the first read of the event log. Redis may be unreachable for longer than that. */
const firstPositionMaxMs = 1_000;

/**
 * Opens one api process on an opened backend: the tasks, the operators' HTTP server and the public interface. It
 * listens once the promise resolves. Stopping it closes the backend and the tracer. `print` prints text for the person
 * who started the process.
 *
 * Rejects with `UnavailableError` if the first admin cannot be stored, and with the error of `explainListenFailure` if
 * it cannot listen on an address. What is open then stays open: the caller ends the process.
 */
export async function openProcess(deps: PodDeps, print: (text: string) => void): Promise<RunningProcess> {
  const { settings, logger } = deps;
  const clock = systemClock;
  const identityProvider = await openIdentityProvider(settings, clock);
  const pod = composePod(deps, identityProvider);
  if (identityProvider !== null) watchIdentityProvider(identityProvider, pod, logger);
  const { app, backend, facts, supervisor, fanOut } = pod;
  let isStarted = false;
  const ops = await openOperatorsPort(settings, pod, () => isStarted);

  const admin = await ensureFirstAdmin(pod);
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
  isStarted = true;
  const { address } = listener;
  const addresses = { public: toListenAddress(address), ops: toListenAddress(ops.address) };
  logger.info({ ...addresses, backend: backend.kind }, 'listening');
  if (facts.startsWithoutSettings) {
    const urls = { url: toLocalUrl(address), opsUrl: toLocalUrl(ops.address) };
    print(formatStartupBanner({ ...urls, hasConsole: settings.PAGES.has('console'), email, password }));
  }

  return {
    stopMaxMs: drainMaxMs(settings.DRAIN_DELAY_MS),
    stop: async (isHurried) => {
      logger.info('draining');
      await drain(pod, listener, isHurried ? 0 : settings.DRAIN_DELAY_MS);
      await deps.tracer?.close();
      await ops.close();
      logger.info('stopped');
    },
  };
}

/** How long the drain waits for requests. It goes on without those that take longer. */
const finishRequestsMaxMs = 15_000;
/** Longer than it takes to stop the tasks, which release their jobs in an embedded pod, and to close the backend. */
const closeMaxMs = 20_000;

/** The time over which a draining pod closes its streams, so that not all clients of a full pod reconnect at once. */
const toWindowMs = (delayMs: number) => 4 * delayMs;

/**
 * How long a drain takes at most, in milliseconds, if each step keeps its own bound. The caller ends the process after
 * this time.
 */
export function drainMaxMs(delayMs: number): number {
  return delayMs + toWindowMs(delayMs) + finishRequestsMaxMs + closeMaxMs;
}

/**
 * Stops a pod without losing work. It becomes not ready, keeps serving for `delayMs`, so that the load balancer
 * notices, closes the streams at random times, finishes requests, stops its tasks and closes the backend. Rejects if a
 * step rejects; the later steps then do not run.
 */
async function drain(
  { readiness, fanOut, supervisor, backend }: Pod,
  listener: Awaited<ReturnType<typeof listenPublicly>>,
  delayMs: number,
): Promise<void> {
  readiness.markDraining();
  await systemClock.sleep(delayMs);
  await fanOut.hub.drain(toWindowMs(delayMs));
  // `closed` resolves only when all responses have ended. So the hub ends the open streams first, and from then on each
  // new one at once.
  const closed = listener.close();
  fanOut.hub.close();
  await Promise.race([closed, systemClock.sleep(finishRequestsMaxMs)]);
  await supervisor.stop();
  await backend.close();
}

/** Opens the operators' HTTP server. */
function openOperatorsPort(
  settings: Settings,
  { metrics, supervisor, fanOut, readiness }: Pod,
  isStarted: () => boolean,
) {
  return openOpsServer({
    ...{ host: settings.HOST, port: settings.OPS_PORT, allowedHosts: settings.ALLOWED_HOSTS },
    formatMetrics: (accept) => formatMetrics(metrics.registry, accept),
    checks: () => readiness.checks(),
    isStarted,
    updateGauges: () => {
      recordTasks(metrics, supervisor);
      const unsentBytes = Array.from(fanOut.hub.connections(), ({ sink }) => sink.unsentBytes());
      metrics.streamsBackpressured.set(unsentBytes.filter((bytes) => bytes > 0).length);
      metrics.streamUnsentBytes.set(unsentBytes.reduce((sum, bytes) => sum + bytes, 0));
    },
  });
}

const providerCheckMs = 60_000;

/**
 * Tries the identity provider once a minute until it is usable, so that a mistake in its settings is known before the
 * first person signs in. Everything else works without it.
 */
function watchIdentityProvider(
  provider: IdentityProvider,
  pod: Pick<Pod, 'metrics'>,
  logger: Logger,
  lastReason = '',
): void {
  provider.check().catch((error: unknown) => {
    pod.metrics.identityProviderFailures.inc();
    const reason = error instanceof ServiceError ? (error.internalMessage ?? error.code) : describeError(error);
    const setting = 'OIDC_ISSUER_URL';
    if (reason !== lastReason) logger.warn({ setting, reason }, 'identity_provider.unusable');
    setTimeout(() => watchIdentityProvider(provider, pod, logger, reason), providerCheckMs).unref();
  });
}

function toListenAddress({ address, port }: AddressInfo): { host: string; port: number } {
  return { host: address, port };
}

/** The URL for a browser on this machine. */
function toLocalUrl({ address, family, port }: AddressInfo): string {
  const host = isAnyAddress(address) ? 'localhost' : family === 'IPv6' ? `[${address}]` : address;
  return `http://${host}:${port}`;
}
