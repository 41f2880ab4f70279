import { buildApp } from '@widget-service/api/process/build-app.ts';
import { createMetrics } from '@widget-service/shared/metrics/metrics.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import { createLogger } from '@widget-service/shared/runtime/logger.ts';
import type { FastifyInstance } from 'fastify';
import type { TestApp } from './test-app.ts';

/** Starts the app with further routes, only to see whether it starts: its use cases do not work. */
export async function startAppWithRoutes(
  { backend }: TestApp,
  registerRoutes: (scope: FastifyInstance) => void,
): Promise<void> {
  const app = buildApp({
    settings: {
      trustedProxies: null,
      allowedHosts: null,
      publicBaseUrl: null,
      cookieSecure: false,
      passwordSignInEnabled: true,
      bodyLimitBytes: 65_536,
      connections: { perAddress: 0, perPod: 10_000 },
      consoleEnabled: true,
      docsEnabled: true,
      securityContact: null,
    },
    useCases: {} as never,
    widgets: backend.widgets,
    users: backend.users,
    ledger: backend.ledger,
    quarantine: backend.quarantine,
    eventLog: backend.eventLog,
    refusals: backend.refusals,
    audit: { close: async () => undefined } as never,
    hashEmail: async () => null,
    clock: systemClock,
    rateLimits: { limiter: backend.rateLimiter, api: null, hooks: null },
    grants: backend,
    streamDirectory: {} as never,
    overview: {} as never,
    hookTokens: {} as never,
    provisionTokens: {} as never,
    logger: await createLogger({ level: 'silent' }),
    metrics: createMetrics(),
    registerStream: registerRoutes,
  });
  await app.ready();
  await app.close();
}
