import type { Overrides } from '@widget-service/api/process/compose.ts';
import { describeBackend } from '@widget-service/api/process/open-backend.ts';
import { openProcess } from '@widget-service/api/process/open-process.ts';
import { parseSettings } from '@widget-service/shared/config/parse-settings.ts';
import type { Subscription } from '@widget-service/shared/entities/grant.ts';
import { createMetrics } from '@widget-service/shared/metrics/metrics.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import { createLogger } from '@widget-service/shared/runtime/logger.ts';
import { Supervisor } from '@widget-service/shared/runtime/supervisor.ts';
import { createWorkerTasks } from '@widget-service/shared/tasks/worker-tasks.ts';
import { issueIntegration, issueSubscription } from './issue-grants.ts';
import { openTestBackend } from './open-test-backend.ts';
import type { TestBackendOptions } from './test-backend.ts';

/** The whole service in this process. It listens on a free port and has its own backend. */
export interface TestService {
  readonly url: string;
  /** The address of the operators' server. */
  readonly opsUrl: string;
  readonly backend: Backend;
  /** Creates a subscription and returns its stream address. By default it has no filter and never expires. */
  issueStreamUrl(
    members?: Partial<Pick<Subscription, 'filter' | 'expiresAt'>>,
  ): Promise<{ url: string; subscriptionId: string }>;
  issueHookUrl(): Promise<string>;
  /** Opens another pod on the same stores. Undefined where only one process may use them. */
  readonly openPeerPod?: () => Promise<TestPod>;
  close(): Promise<void>;
}

/** One api process of the service, in this process. */
export interface TestPod {
  readonly url: string;
  readonly opsUrl: string;
  /** Every log line so far. */
  readonly logLines: readonly string[];
  close(): Promise<void>;
}

/**
 * Starts the service. `environment` sets the process, `backendOptions` the stores, `overrides` replaces parts. On the
 * cluster backend, this process also runs the worker's tasks.
 */
export async function openTestService(
  environment: Readonly<Record<string, string>> = {},
  backendOptions: TestBackendOptions = {},
  overrides: Overrides = {},
): Promise<TestService> {
  const { backend, dispose, openPeer } = await openTestBackend(backendOptions);
  const logger = await createLogger({ level: 'silent' });
  const tasks = describeBackend(backend.kind).processesHooks
    ? []
    : createWorkerTasks({ backend, clock: systemClock, logger, metrics: createMetrics() });
  const worker = new Supervisor(tasks, systemClock, () => undefined);
  worker.start();
  // Closing the api must not close the backend: the worker's tasks use it until they have stopped.
  const pod = await openPod({ ...backend, close: async () => undefined }, environment, overrides);
  return {
    url: pod.url,
    opsUrl: pod.opsUrl,
    backend,
    ...(openPeer === undefined ? {} : { openPeerPod: async () => openPod(await openPeer(), environment, overrides) }),
    issueStreamUrl: async (members = {}) => {
      const { grant, token } = await issueSubscription(backend, members);
      return { url: `${pod.url}/api/v1/events/${token}`, subscriptionId: grant.id };
    },
    issueHookUrl: async () => {
      const { token } = await issueIntegration(backend);
      return `${pod.url}/api/v1/events/hooks/${token}`;
    },
    close: async () => {
      await pod.close();
      await worker.stop();
      await dispose();
    },
  };
}

/** Opens an api process on free ports. Closing it closes the backend. */
export async function openPod(
  backend: Backend,
  environment: Readonly<Record<string, string>> = {},
  overrides: Overrides = {},
): Promise<TestPod> {
  const { settings } = parseSettings(
    // Rate limits are off, unless a test sets them.
    {
      PORT: '0',
      OPS_PORT: '0',
      ADMIN_EMAIL: '',
      HOOK_RATE_PER_SECOND: '0',
      API_RATE_PER_SECOND: '0',
      ...environment,
    },
    { app: 'api' },
  );
  let url = '';
  let opsUrl = '';
  const logLines: string[] = [];
  const logger = await createLogger({
    level: 'info',
    destination: {
      write: (line) => {
        logLines.push(line);
        const {
          msg,
          public: address,
          ops,
        } = JSON.parse(line) as { msg?: string } & Record<'public' | 'ops', { port: number } | undefined>;
        if (msg !== 'listening') return;
        url = `http://127.0.0.1:${address?.port}`;
        opsUrl = `http://127.0.0.1:${ops?.port}`;
      },
    },
  });
  const api = await openProcess({ settings, backend, logger, overrides }, () => undefined);
  return { url, opsUrl, logLines, close: () => api.stop(true) };
}
