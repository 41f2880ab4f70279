import { openApi } from '@widget-service/api/api.ts';
import { parseSettings } from '@widget-service/shared/config/parse-settings.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import type { Subscription } from '@widget-service/shared/ports/grant-store.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import { createLogger } from '@widget-service/shared/runtime/logger.ts';
import { createMetrics } from '@widget-service/shared/runtime/metrics.ts';
import { Supervisor } from '@widget-service/shared/runtime/supervisor.ts';
import { createWorkerTasks } from '@widget-service/shared/tasks/worker-tasks.ts';
import { issueIntegration, issueSubscription } from './issue-grants.ts';
import { openTestBackend } from './open-test-backend.ts';

/** The whole service in this process, listening on a free port, on a backend of its own. */
export interface TestService {
  readonly url: string;
  readonly backend: Backend;
  /** Of a subscription that lets everything through, and has no end, unless it is said. */
  issueStreamUrl(
    chosen?: Partial<Pick<Subscription, 'filter' | 'expiresAt'>>,
  ): Promise<{ url: string; subscriptionId: string }>;
  issueHookUrl(): Promise<string>;
  close(): Promise<void>;
}

/** On the cluster a worker's tasks run beside the api, as another process would. */
export async function openTestService(environment: Readonly<Record<string, string>> = {}): Promise<TestService> {
  const { backend, dispose } = await openTestBackend();
  const { settings } = parseSettings(
    // Limits are off but where a test is about them.
    { PORT: '0', OPS_PORT: '0', ADMIN_EMAIL: '', HOOK_RATE_PER_SECOND: '0', API_RATE_PER_SECOND: '0', ...environment },
    { app: 'api', isTerminal: false },
  );
  let url = '';
  const logger = await createLogger({
    level: 'info',
    destination: {
      write: (line) => {
        const { msg, public: place } = JSON.parse(line) as { msg?: string; public?: { port: number } };
        if (msg === 'listening' && place !== undefined) url = `http://127.0.0.1:${place.port}`;
      },
    },
  });
  const tasks =
    backend.kind === 'embedded'
      ? []
      : createWorkerTasks({ backend, clock: systemClock, logger, metrics: createMetrics(), outboxScanAgeMs: 5_000 });
  const worker = new Supervisor(tasks, { clock: systemClock, onFailure: () => undefined });
  worker.start();
  // The backend belongs to the test, which closes it after the worker.
  const api = await openApi({
    settings,
    backend: { ...backend, close: async () => undefined },
    logger,
    print: () => undefined,
  });
  return {
    url,
    backend,
    issueStreamUrl: async (chosen = {}) => {
      const { grant, token } = await issueSubscription(backend, chosen);
      return { url: `${url}/api/v1/events/${token}`, subscriptionId: grant.id };
    },
    issueHookUrl: async () => {
      const { token } = await issueIntegration(backend);
      return `${url}/api/v1/events/hooks/${token}`;
    },
    close: async () => {
      await api.stop(true);
      await worker.stop();
      await dispose();
    },
  };
}
