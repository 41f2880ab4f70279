import { openApi } from '@widget-service/api/api.ts';
import { parseSettings } from '@widget-service/shared/config/parse-settings.ts';
import { createUuidV7 } from '@widget-service/shared/domain/uuid.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import { createLogger } from '@widget-service/shared/runtime/logger.ts';
import { createMetrics } from '@widget-service/shared/runtime/metrics.ts';
import { Supervisor } from '@widget-service/shared/runtime/supervisor.ts';
import { createWorkerTasks } from '@widget-service/shared/tasks/worker-tasks.ts';
import { createIssueIntegration, createIssueSubscription } from '@widget-service/shared/usecases/access/issue-token.ts';
import { openTestBackend } from './open-test-backend.ts';

/** The whole service in this process, listening on a free port, on a backend of its own. */
export interface TestService {
  readonly url: string;
  issueStreamUrl(): Promise<{ url: string; subscriptionId: string }>;
  issueHookUrl(): Promise<string>;
  close(): Promise<void>;
}

/** On the cluster a worker's tasks run beside the api, as another process would. */
export async function openTestService(environment: Readonly<Record<string, string>> = {}): Promise<TestService> {
  const { backend, dispose } = await openTestBackend();
  const { settings } = parseSettings(
    { PORT: '0', OPS_PORT: '0', ADMIN_EMAIL: '', ...environment },
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
    issueStreamUrl: async () => {
      const issue = createIssueSubscription({ subscriptions: backend.subscriptions, clock: systemClock });
      const { subscription, token } = await issue({ name: `screen ${createUuidV7()}` });
      return { url: `${url}/api/v1/events/${token}`, subscriptionId: subscription.id };
    },
    issueHookUrl: async () => {
      const issue = createIssueIntegration({ integrations: backend.integrations, clock: systemClock });
      const { token } = await issue({ name: 'sender', deduplicateByContent: true });
      return `${url}/api/v1/events/hooks/${token}`;
    },
    close: async () => {
      await api.stop(true);
      await worker.stop();
      await dispose();
    },
  };
}
