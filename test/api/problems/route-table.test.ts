import { buildApp } from '@widget-service/api/app.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import { createLogger } from '@widget-service/shared/runtime/logger.ts';
import { createMetrics } from '@widget-service/shared/runtime/metrics.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../../drivers/test-app.ts';

let service: TestApp;
beforeAll(async () => {
  service = await openTestApp();
});
afterAll(() => service.close());

test('a route without a policy stops the start', async () => {
  const app = buildApp({
    settings: { trustedProxies: null, publicBaseUrl: null, cookieSecure: false, bodyLimitBytes: 65_536 },
    useCases: {} as never,
    widgets: service.backend.widgets,
    users: service.backend.users,
    ledger: service.backend.ledger,
    clock: systemClock,
    rateLimits: { limiter: service.backend.rateLimiter, api: null, hooks: null },
    grants: service.backend,
    hookTokens: {} as never,
    provisionTokens: {} as never,
    logger: await createLogger({ level: 'silent' }),
    metrics: createMetrics(),
    registerStream: (scope) => void scope.get('/forgotten', async () => 'open to all'),
  });
  await expect(app.ready()).rejects.toThrow('declares no policy');
});

test('every operation is described under its own name', async () => {
  const response = await service.inject({ method: 'GET', url: '/api/v1/openapi.json' });
  expect(response.statusCode).toBe(200);
  const document = response.json();
  expect(document.openapi).toMatch(/^3\.1/);
  const operations = Object.entries(document.paths as Record<string, Record<string, { operationId: string }>>).flatMap(
    ([path, methods]) => Object.entries(methods).map(([method, { operationId }]) => [operationId, `${method} ${path}`]),
  );
  expect(Object.fromEntries(operations)).toMatchObject({
    'example.widgets.list': 'get /api/v1/widgets',
    'example.widgets.create': 'post /api/v1/widgets',
    'example.events.receive': 'post /api/v1/events/hooks/{token}',
  });
  expect(new Set(operations.map(([operationId]) => operationId)).size).toBe(operations.length);
});
