import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { mintToken } from '@widget-service/shared/domain/token.ts';
import { describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import { overrideMethod } from '../../drivers/app/override-method.ts';

const isUnavailable = { queue: false, store: false };
const service = await openSharedApp({
  replace: ({ hookQueue, integrations }) => ({
    hookQueue: overrideMethod(hookQueue, 'enqueue', (batch) =>
      isUnavailable.queue
        ? Promise.reject(new UnavailableError('the queue is unavailable: internal text'))
        : hookQueue.enqueue(batch),
    ),
    integrations: overrideMethod(integrations, 'find', (...given) =>
      isUnavailable.store
        ? Promise.reject(new UnavailableError('the store is unavailable'))
        : integrations.find(...given),
    ),
  }),
});
const { token } = await service.issueHookToken();

const send = (to: string) =>
  service.post(`/api/v1/events/hooks/${to}`, { kind: 'updated', occurredAt: '2026-03-01T10:00:00Z' });

describe('POST /api/v1/events/hooks/{token}: store unavailable', () => {
  test('returns 503 with Retry-After while the queue is unavailable, and 202 afterwards', async () => {
    isUnavailable.queue = true;
    const response = await send(token);
    expectProblem(response, { status: 503, code: 'unavailable' });
    expect(Number(response.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(response.body).not.toContain('internal text');
    isUnavailable.queue = false;
    expect((await send(token)).statusCode).toBe(202);
  });

  test('returns 503 for a token that the store cannot check, but 202 for a cached token', async () => {
    expect((await send(token)).statusCode).toBe(202);
    isUnavailable.store = true;
    expectProblem(await send(mintToken('wht')), { status: 503, code: 'unavailable' });
    expect((await send(token)).statusCode).toBe(202);
    isUnavailable.store = false;
  });
});
