import { createUuidV7 } from '@widget-service/shared/domain/uuid.ts';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import { createManualClock } from '../../drivers/tools/manual-clock.ts';

const clock = createManualClock();
const service = await openSharedApp({ clock });
const admin = await service.signedIn('admin');

const path = '/api/v1/integrations';
const create = (signature?: string | null) =>
  admin.post(path, { name: 'shop', ...(signature === undefined ? {} : { signature }) });
const rotate = (id: string, payload: object = {}) => admin.post(`${path}/${id}/rotate`, payload);
const get = (id: string) => admin.get(`${path}/${id}`);

/** Posts a hook, signed with the secret unless there is none; the status it gets. */
async function post(token: string, signingSecret?: string): Promise<number> {
  const payload = JSON.stringify({ kind: 'updated', occurredAt: '2026-03-01T10:00:00Z', payload: { größe: 1 } });
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
  const response = await service.post(`/api/v1/events/hooks/${token}`, payload, headers);
  return response.statusCode;
}

describe('POST /api/v1/integrations', () => {
  test('returns 201 with the signing secret once, and accepts only hooks signed with it', async () => {
    const response = await create('standard-webhooks');
    const { id, token, signingSecret, signature } = response.json();
    expect([response.statusCode, signature]).toEqual([201, 'standard-webhooks']);
    expect(signingSecret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect([await post(token, signingSecret), await post(token)]).toEqual([202, 400]);

    const shown = await get(id);
    expect(shown.json()).toMatchObject({ id, signature: 'standard-webhooks' });
    const list = await admin.get(path);
    const stored = JSON.stringify(await service.backend.integrations.get(id));
    for (const text of [shown.body, list.body, stored, service.logLines.join('')]) {
      expect(text).not.toContain(signingSecret);
      expect(text).not.toContain(signingSecret.slice('whsec_'.length));
      expect(text).not.toContain(token);
    }
    expect(shown.body + list.body).not.toContain('sealed');
  });

  test.each([undefined, null, 'none'])(
    'returns 201 without a signing secret for the signature %j',
    async (signature) => {
      const { token, ...body } = (await create(signature)).json();
      expect(body.signature).toBe('none');
      expect(body).not.toHaveProperty('signingSecret');
      expect(await post(token)).toBe(202);
    },
  );
});

describe('POST /api/v1/integrations/{id}/rotate', () => {
  test.each([{}, { signature: null }, { signature: 'standard-webhooks' }])(
    'returns a new signing secret for the new token; the previous token keeps its own until the overlap ends: %j',
    async (body) => {
      const before = (await create('standard-webhooks')).json();
      const response = await rotate(before.id, { ...body, overlapSeconds: 60 });
      const rotated = response.json();
      expect([response.statusCode, rotated.signature]).toEqual([200, 'standard-webhooks']);
      expect(rotated.signingSecret).not.toBe(before.signingSecret);
      expect(await post(before.token, before.signingSecret)).toBe(202);
      expect(await post(rotated.token, rotated.signingSecret)).toBe(202);
      expect(await post(before.token, rotated.signingSecret)).toBe(400);
      expect(await post(rotated.token, before.signingSecret)).toBe(400);
      clock.advance(60_000);
      expect(await post(before.token, before.signingSecret)).toBe(400);
      expect(await post(rotated.token, rotated.signingSecret)).toBe(202);
    },
  );

  test('changes the signature from none to standard-webhooks and back', async () => {
    const first = (await create()).json();
    const signed = (await rotate(first.id, { signature: 'standard-webhooks' })).json();
    // The answer says that the previous address still takes hooks without a signature.
    expect(signed).toMatchObject({
      signature: 'standard-webhooks',
      previousSignature: 'none',
      previousExpiresAt: expect.any(String),
    });
    expect([await post(first.token), await post(signed.token)]).toEqual([202, 400]);
    expect(await post(signed.token, signed.signingSecret)).toBe(202);
    const again = (await rotate(first.id, {})).json();
    expect(again).toMatchObject({ signature: 'standard-webhooks', previousSignature: 'standard-webhooks' });

    const last = (await rotate(first.id, { signature: 'none', overlapSeconds: 0 })).json();
    expect(last).toMatchObject({ signature: 'none', previousExpiresAt: null, previousSignature: null });
    expect(last).not.toHaveProperty('signingSecret');
    expect((await get(first.id)).json().signature).toBe('none');
    expect(await post(last.token)).toBe(202);
  });
});
