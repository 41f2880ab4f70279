import type { AuditEvent } from '@widget-service/shared/entities/audit-event.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import { fastify } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decorateCredentials } from '../caller/credentials.ts';
import { sendProblem } from '../http/problem.ts';
import { decorateRequests } from '../http/request-state.ts';
import { noteAudit, registerAudit } from './audit.ts';

const written: AuditEvent[] = [];
const sampled: AuditEvent[] = [];
const waits: number[] = [];
const userId = '7d1f4a52-93c8-4e0b-a6d7-58b0c3e19f24';
const app = fastify();

/** A sign-in that ends with a link which the browser follows, as a sign-in elsewhere does. */
beforeAll(async () => {
  decorateRequests(app);
  decorateCredentials(app);
  registerAudit(app, {
    audit: {
      write: async (event, waitMs) => {
        written.push(event);
        waits.push(waitMs);
      },
      writeFirst: async () => undefined,
      sample: (event) => void sampled.push(event),
      close: async () => undefined,
    },
    hashText: async (email) => `hash of ${email}`,
    clock: systemClock,
    trustedProxies: null,
  });
  app.get<{ Querystring: { fails?: string } }>('/callback', {
    config: {
      policy: 'public',
      audit: { action: 'session.created', refusedAs: 'session.failed', target: { kind: 'user', id: 'noted' } },
    },
    handler: async (request, reply) => {
      noteAudit(request, { email: 'kim@example.com' });
      if (request.query.fails !== undefined) return sendProblem(reply, { code: 'invalid-credentials' });
      noteAudit(request, { actor: { kind: 'user', id: userId }, targetId: userId });
      return reply.redirect('/', 303);
    },
  });
  app.get('/read', { config: { policy: 'signed-in' }, handler: async () => 'nothing changed' });
  await app.ready();
});
afterAll(() => app.close());

describe('registerAudit', () => {
  test('writes the event of a GET that declares an action, with what the handler noted', async () => {
    const { statusCode } = await app.inject({ url: '/callback', remoteAddress: '198.51.100.7' });
    expect(statusCode).toBe(303);
    expect(written).toMatchObject([
      {
        action: 'session.created',
        outcome: 'succeeded',
        actor: { kind: 'user', id: userId },
        target: { kind: 'user', id: userId },
        clientAddress: '198.51.100.7',
        emailHmac: null,
      },
    ]);
    // The response waits no longer than the deadline of a request.
    expect(waits[0]).toBeLessThanOrEqual(1_800);
    expect(waits[0]).toBeGreaterThanOrEqual(300);
  });

  test('samples a refusal under its own action, with the HMAC of the noted e-mail', async () => {
    await app.inject({ url: '/callback?fails', remoteAddress: '198.51.100.7' });
    expect(sampled).toMatchObject([
      {
        action: 'session.failed',
        outcome: 'refused',
        code: 'invalid-credentials',
        actor: { kind: 'anonymous', id: null },
        target: null,
        emailHmac: 'hash of kim@example.com',
      },
    ]);
  });

  test('writes nothing for a route that declares no action', async () => {
    const before = written.length + sampled.length;
    expect((await app.inject({ url: '/read' })).statusCode).toBe(200);
    expect(written.length + sampled.length).toBe(before);
  });
});
