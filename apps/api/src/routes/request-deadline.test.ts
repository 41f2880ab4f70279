import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import { createLogger } from '@widget-service/shared/runtime/logger.ts';
import { createMetrics } from '@widget-service/shared/runtime/metrics.ts';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createServer } from '../http/create-server.ts';
import { registerErrorHandler } from '../http/error-handler.ts';
import { registerRequestDeadline, withinRequestDeadline } from '../http/request-deadline.ts';
import { decorateRequests } from '../http/request-state.ts';
import type { ZodApp, ZodTypeProvider } from '../http/zod-validation.ts';
import { registerReceiveHook } from './events/receive-hook.ts';
import { registerCreateWidget } from './widgets/create-widget.ts';
import { registerGetWidget } from './widgets/get-widget.ts';
import { registerListWidgets } from './widgets/list-widgets.ts';

const aWidget = '/api/v1/widgets/01a200cb-ed5c-76f7-9c6c-a85ab5de9a8c';
const logger = await createLogger({ level: 'silent' });

/** A server whose requests wait so long for their credential. */
function serve(credentialTakesMs: number) {
  const app = createServer({ bodyLimitBytes: 1_000, trustProxy: false, logger }).withTypeProvider<ZodTypeProvider>();
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
const hook = { kind: 'updated', occurredAt: '2026-03-01T10:00:00Z' };
const metrics = createMetrics();

test.each([
  ['create', (app: ZodApp) => registerCreateWidget(app, { createWidget: hang }), 'POST', '/api/v1/widgets', {}],
  ['list', (app: ZodApp) => registerListWidgets(app, { listWidgets: hang }), 'GET', '/api/v1/widgets', undefined],
  ['get', (app: ZodApp) => registerGetWidget(app, { widgets: { get: hang } }), 'GET', aWidget, undefined],
  [
    'hook',
    (app: ZodApp) =>
      registerReceiveHook(app, { acceptHook: hang, recordLastUsed: () => undefined, clock: systemClock, metrics }),
    'POST',
    '/api/v1/events/hooks/token',
    hook,
  ],
] as const)(
  '%s: what it waited for before is taken off what its store may take',
  async (_, register, method, url, payload) => {
    const app = serve(0);
    app.addHook('preParsing', async (request) => {
      request.elapsedBeforeBodyMs = 1_790;
    });
    register(app);
    const answer = await app.inject({ method, url, ...(payload === undefined ? {} : { payload }) });
    expect({ status: answer.statusCode, code: answer.json().code }).toEqual({ status: 503, code: 'unavailable' });
  },
);

test('how long a body took is not: a slow caller has as much of the store’s time as any', async () => {
  const app = serve(0);
  app.post('/slow', async (request) => ({ waitedMs: request.elapsedBeforeBodyMs }));
  async function* body() {
    yield '{"name":';
    await delay(200);
    yield '"a"}';
  }
  const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' };
  const answer = await app.inject({ method: 'POST', url: '/slow', headers, payload: Readable.from(body()) });
  expect(answer.json().waitedMs).toBeGreaterThan(0);
  expect(answer.json().waitedMs).toBeLessThan(150);
});

test('what a request waited for its credential is told', async () => {
  const app = serve(100);
  app.get('/waited', async (request) => ({ waitedMs: request.elapsedBeforeBodyMs }));
  expect((await app.inject('/waited')).json().waitedMs).toBeGreaterThan(90);
});

test('all that a request waits for takes 1.8 s at most', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  let isGivenUp = false;
  const waiting = withinRequestDeadline({ elapsedBeforeBodyMs: 1_000 } as never, hang(), 'store').catch(() => {
    isGivenUp = true;
  });
  await vi.advanceTimersByTimeAsync(799);
  await new Promise((resolve) => setImmediate(resolve));
  expect(isGivenUp).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await waiting;
  expect(isGivenUp).toBe(true);
});

test('work that ends in time is the answer, and nothing is left of a wait that used all of it up', async () => {
  const asked = (waitedMs: number) => ({ elapsedBeforeBodyMs: waitedMs }) as never;
  expect(await withinRequestDeadline(asked(0), Promise.resolve('stored'), 'store')).toBe('stored');
  const tooLate = withinRequestDeadline(asked(60_000), new Promise(() => undefined), 'store');
  await expect(tooLate).rejects.toThrow(UnavailableError);
});
