import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { parseSettings } from '@widget-service/shared/config/parse-settings.ts';
import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { createMetrics } from '@widget-service/shared/metrics/metrics.ts';
import type { HookQueue } from '@widget-service/shared/ports/hook-queue.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import { createLogger } from '@widget-service/shared/runtime/logger.ts';
import { unlimited } from '@widget-service/shared/usecases/access/sign-in-limits.ts';
import { GroupCommit } from '@widget-service/shared/usecases/hooks/group-commit.ts';
import { expect, onTestFinished, test, vi } from 'vitest';
import { receiveHookRoute } from '../hooks/intake.ts';
import { registerErrorHandler } from '../http/answer-failure.ts';
import { createServer } from '../http/create-server.ts';
import { decorateRequests, registerRequestDeadline, withinRequestDeadline } from '../http/request-state.ts';
import { type Route, registerRoute } from '../http/route.ts';
import { createWidgetRoute, getWidgetRoute, listWidgetsRoute } from '../widgets/widget-routes.ts';

const widgetId = '01a200cb-ed5c-76f7-9c6c-a85ab5de9a8c';
const aWidget = `/api/v1/widgets/${widgetId}`;
const logger = await createLogger({ level: 'silent' });
const { settings } = parseSettings({}, { app: 'api' });

/** A server on which verifying the credential takes `credentialTakesMs`. */
function createTestServer(credentialTakesMs: number) {
  const app = createServer(settings, logger);
  decorateRequests(app);
  registerErrorHandler(app);
  registerRequestDeadline(app);
  app.setValidatorCompiler(() => (value) => ({ value }));
  app.setSerializerCompiler(() => JSON.stringify);
  app.addHook('onRequest', async (request) => {
    await new Promise((resolve) => setTimeout(resolve, credentialTakesMs));
    request.integration = { id: 'b' } as never;
    request.caller = { kind: 'provision-token', provisionToken: { id: 'a' } } as never;
  });
  return app;
}

const hang = () => new Promise<never>(() => undefined);
/** A queue that does not answer, behind a real group commit. */
const hangingQueue = { enqueue: hang, pressure: hang, partitionCount: 1 } as unknown as HookQueue;
const groupCommit = new GroupCommit(hangingQueue, systemClock);
const noRecords = { insert: async () => true, list: async () => [], removeAll: async () => undefined };
const hook = { kind: 'updated', occurredAt: '2026-03-01T10:00:00Z' };
const metrics = createMetrics();

test.each([
  [
    'create',
    createWidgetRoute({
      widgets: { insertOnce: hang },
      groupCommit,
      clock: systemClock,
      takeWidgetPermit: async () => unlimited,
    } as never),
    'POST',
    '/api/v1/widgets',
    { name: 'pump', state: 'active', labels: [], owner: null },
  ],
  ['list', listWidgetsRoute({ listWidgets: { read: hang } } as never), 'GET', '/api/v1/widgets', undefined],
  ['get', getWidgetRoute({ widgets: { get: hang } } as never), 'GET', aWidget, undefined],
  [
    'hook',
    receiveHookRoute({
      groupCommit,
      integrations: { count: async () => 1, get: async () => null },
      refusals: noRecords,
      samples: noRecords,
      hookCounts: { add: async () => undefined },
      clock: systemClock,
      metrics,
      logger,
      settings,
    } as never),
    'POST',
    '/api/v1/events/hooks/token',
    hook,
  ],
] as const)(
  '%s: returns 503 when the store does not answer in what is left of the request deadline',
  async (_, route: Route, method, url, payload) => {
    const app = createTestServer(0);
    app.addHook('preParsing', async (request) => {
      request.elapsedBeforeBodyMs = 1_790;
    });
    registerRoute(app, { methods: method, path: url.replace(widgetId, ':id'), access: {} }, route);
    const startedAtMs = performance.now();
    const response = await app.inject({ method, url, ...(payload === undefined ? {} : { payload }) });
    expect({ status: response.statusCode, code: response.json().code }).toEqual({ status: 503, code: 'unavailable' });
    // 10 ms are left of the 1.8 s.
    expect(performance.now() - startedAtMs).toBeLessThan(1_500);
  },
);

test('the time that the body takes to arrive does not count towards the deadline', async () => {
  const app = createTestServer(0);
  app.post('/slow', async (request) => ({ waitedMs: request.elapsedBeforeBodyMs }));
  async function* body() {
    yield '{"name":';
    await delay(200);
    yield '"a"}';
  }
  const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' };
  const response = await app.inject({ method: 'POST', url: '/slow', headers, payload: Readable.from(body()) });
  expect(response.json().waitedMs).toBeGreaterThan(0);
  expect(response.json().waitedMs).toBeLessThan(150);
});

test('the time that the credential check takes counts towards the deadline', async () => {
  const app = createTestServer(100);
  app.get('/waited', async (request) => ({ waitedMs: request.elapsedBeforeBodyMs }));
  expect((await app.inject('/waited')).json().waitedMs).toBeGreaterThan(90);
});

test('rejects 1.8 s after the request began, including the time before the body', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  let hasRejected = false;
  const pending = withinRequestDeadline({ elapsedBeforeBodyMs: 1_000 } as never, hang(), 'store').catch(() => {
    hasRejected = true;
  });
  await vi.advanceTimersByTimeAsync(799);
  await new Promise((resolve) => setImmediate(resolve));
  expect(hasRejected).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await pending;
  expect(hasRejected).toBe(true);
});

test('returns the result of work that ends in time, and rejects at once when no time is left', async () => {
  const aRequest = (elapsedBeforeBodyMs: number) => ({ elapsedBeforeBodyMs }) as never;
  expect(await withinRequestDeadline(aRequest(0), Promise.resolve('stored'), 'store')).toBe('stored');
  const tooLate = withinRequestDeadline(aRequest(60_000), new Promise(() => undefined), 'store');
  await expect(tooLate).rejects.toThrow(UnavailableError);
});
