import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { createLogger } from '@widget-service/shared/runtime/logger.ts';
import type { createCreateWidget } from '@widget-service/shared/usecases/widgets/create-widget.ts';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { expect, test } from 'vitest';
import { registerCreateWidget } from '../routes/widgets/create-widget.ts';
import { answerInTime, registerWaits } from './answer-in-time.ts';
import { createServer } from './create-server.ts';
import { registerErrorHandler } from './error-handler.ts';
import { decorateRequests } from './request-state.ts';

const logger = await createLogger({ level: 'silent' });

/** A server whose requests wait so long for their credential. */
function serve(credentialTakesMs: number) {
  const app = createServer({ bodyLimitBytes: 1_000, trustProxy: false, logger }).withTypeProvider<ZodTypeProvider>();
  decorateRequests(app);
  registerErrorHandler(app);
  registerWaits(app);
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => JSON.stringify);
  app.addHook('onRequest', async (request) => {
    await delay(credentialTakesMs);
    request.caller = { kind: 'provision-token', provisionToken: { id: 'a' } } as never;
  });
  return app;
}

test('what a request waited for its credential is taken off what its store may take', async () => {
  const app = serve(1_000);
  const neverStored: ReturnType<typeof createCreateWidget> = () => new Promise(() => undefined);
  registerCreateWidget(app, { createWidget: neverStored });
  const startedAtMs = performance.now();
  const answer = await app.inject({ method: 'POST', url: '/api/v1/widgets', payload: { name: 'a' } });
  const tookMs = performance.now() - startedAtMs;
  expect({ status: answer.statusCode, code: answer.json().code }).toEqual({ status: 503, code: 'unavailable' });
  expect(tookMs).toBeGreaterThan(1_700);
  expect(tookMs).toBeLessThan(2_000);
});

test('how long a body took is not: a slow caller has as much of the store’s time as any', async () => {
  const app = serve(0);
  app.post('/slow', async (request) => ({ waitedMs: request.waitedMs }));
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

test('work that ends in time is the answer, and nothing is left of a wait that used all of it up', async () => {
  const asked = (waitedMs: number) => ({ waitedMs }) as never;
  expect(await answerInTime(asked(0), Promise.resolve('stored'), 'store')).toBe('stored');
  const tooLate = answerInTime(asked(60_000), new Promise(() => undefined), 'store');
  await expect(tooLate).rejects.toThrow(UnavailableError);
});
