import { createUuidV7 } from '@widget-service/shared/domain/uuid.ts';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDrivenClock } from '../../drivers/driven-clock.ts';
import { expectProblem } from '../../drivers/expect-problem.ts';
import { openTestApp, type TestApp, type TestCaller } from '../../drivers/test-app.ts';

const clock = createDrivenClock();
let service: TestApp;
let admin: TestCaller;
beforeAll(async () => {
  service = await openTestApp({ clock });
  admin = await service.signedIn('admin');
});
afterAll(() => service.close());

const path = '/api/v1/integrations';
const create = (signature?: string | null) =>
  service.inject({
    method: 'POST',
    url: path,
    headers: admin.headers,
    payload: { name: 'shop', ...(signature === undefined ? {} : { signature }) },
  });
const rotate = (id: string, payload: object = {}) =>
  service.inject({ method: 'POST', url: `${path}/${id}/rotate`, headers: admin.headers, payload });
const get = (id: string) => service.inject({ method: 'GET', url: `${path}/${id}`, headers: { cookie: admin.cookie } });

/** Posts a hook, signed with the secret unless there is none; the status it gets. */
async function post(token: string, signingSecret?: string): Promise<number> {
  const payload = JSON.stringify({ kind: 'updated', occurredAt: '2026-03-01T10:00:00Z' });
  const [id, at] = [`msg_${createUuidV7()}`, clock.now()];
  const signature =
    signingSecret === undefined
      ? {}
      : {
          'webhook-id': id,
          'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
          'webhook-signature': new Webhook(signingSecret).sign(id, at, payload),
        };
  const headers = { 'content-type': 'application/json', ...signature };
  const response = await service.inject({ method: 'POST', url: `/api/v1/events/hooks/${token}`, headers, payload });
  return response.statusCode;
}

describe('create', () => {
  test('201: a signed one shows its signing secret this once, and takes what is signed with it only', async () => {
    const response = await create('standard-webhooks');
    const { id, token, signingSecret, signature } = response.json();
    expect([response.statusCode, signature]).toEqual([201, 'standard-webhooks']);
    expect(signingSecret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect([await post(token, signingSecret), await post(token)]).toEqual([202, 400]);

    const shown = await get(id);
    expect(shown.json()).toMatchObject({ id, signature: 'standard-webhooks' });
    const list = await service.inject({ method: 'GET', url: path, headers: { cookie: admin.cookie } });
    const stored = JSON.stringify(await service.backend.integrations.get(id));
    for (const text of [shown.body, list.body, stored, service.logLines.join('')]) {
      expect(text).not.toContain(signingSecret);
      expect(text).not.toContain(signingSecret.slice('whsec_'.length));
      expect(text).not.toContain(token);
    }
    expect(shown.body + list.body).not.toContain('sealed');
  });

  test.each([undefined, null, 'none'])('201: %j has no signing secret', async (signature) => {
    const { token, ...body } = (await create(signature)).json();
    expect(body.signature).toBe('none');
    expect(body).not.toHaveProperty('signingSecret');
    expect(await post(token)).toBe(202);
  });

  test('400: any other', async () => {
    const errors = [{ pointer: '#/signature', code: 'enum' }];
    expectProblem(await create('hmac'), { status: 400, code: 'invalid-request', errors });
  });
});

describe('change', () => {
  test('400: only a new token can have another signature', async () => {
    const { id } = (await create()).json();
    const response = await service.inject({
      method: 'PATCH',
      url: `${path}/${id}`,
      headers: admin.headers,
      payload: { signature: 'standard-webhooks' },
    });
    const errors = [{ pointer: '#/signature', code: 'unknown-field' }];
    expectProblem(response, { status: 400, code: 'invalid-request', errors });
  });
});

describe('rotate', () => {
  test.each([{}, { signature: null }, { signature: 'standard-webhooks' }])(
    '200: %j gives a new secret to the new token, and the old token keeps its own until it ends',
    async (body) => {
      const old = (await create('standard-webhooks')).json();
      const response = await rotate(old.id, { ...body, overlapSeconds: 60 });
      const fresh = response.json();
      expect([response.statusCode, fresh.signature]).toEqual([200, 'standard-webhooks']);
      expect(fresh.signingSecret).not.toBe(old.signingSecret);
      expect(await post(old.token, old.signingSecret)).toBe(202);
      expect(await post(fresh.token, fresh.signingSecret)).toBe(202);
      expect(await post(old.token, fresh.signingSecret)).toBe(400);
      expect(await post(fresh.token, old.signingSecret)).toBe(400);
      clock.advance(60_000);
      expect(await post(old.token, old.signingSecret)).toBe(400);
      expect(await post(fresh.token, fresh.signingSecret)).toBe(202);
    },
  );

  test('200: from none to signed and back', async () => {
    const first = (await create()).json();
    const signed = (await rotate(first.id, { signature: 'standard-webhooks' })).json();
    expect(signed.signature).toBe('standard-webhooks');
    expect([await post(first.token), await post(signed.token)]).toEqual([202, 400]);
    expect(await post(signed.token, signed.signingSecret)).toBe(202);

    const last = (await rotate(first.id, { signature: 'none', overlapSeconds: 0 })).json();
    expect(last).toMatchObject({ signature: 'none', previousExpiresAt: null });
    expect(last).not.toHaveProperty('signingSecret');
    expect((await get(first.id)).json().signature).toBe('none');
    expect(await post(last.token)).toBe(202);
  });

  test('400: any other', async () => {
    const { id } = (await create()).json();
    const errors = [{ pointer: '#/signature', code: 'enum' }];
    expectProblem(await rotate(id, { signature: 'hmac' }), { status: 400, code: 'invalid-request', errors });
  });

  test('400: what no integration is has no signature', async () => {
    const { id } = (
      await service.inject({
        method: 'POST',
        url: '/api/v1/subscriptions',
        headers: admin.headers,
        payload: { name: 'x' },
      })
    ).json();
    const url = `/api/v1/subscriptions/${id}/rotate`;
    const payload = { signature: 'standard-webhooks' };
    const response = await service.inject({ method: 'POST', url, headers: admin.headers, payload });
    const errors = [{ pointer: '#/signature', code: 'unknown-field' }];
    expectProblem(response, { status: 400, code: 'invalid-request', errors });
  });
});
