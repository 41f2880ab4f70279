import { randomBytes } from 'node:crypto';
import { createUuidV7 } from '@widget-service/shared/domain/uuid.ts';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';

const service = await openSharedApp();
const admin = await service.signedIn('admin');

const path = '/api/v1/integrations';
const sendJson = (url: string, payload: object) => admin.post(url, payload);
const create = (members: object = {}) => sendJson(path, { name: 'shop', ...members });
const rotate = (id: string, members: object = {}) => sendJson(`${path}/${id}/rotate`, members);
const aSecret = (bytes = 32) => `whsec_${randomBytes(bytes).toString('base64')}`;

/** Posts a hook that is signed with the secret, and returns its status. */
async function post(token: string, secret: string): Promise<number> {
  const payload = JSON.stringify({ kind: 'updated', occurredAt: '2026-03-01T10:00:00Z' });
  const [id, at] = [`msg_${createUuidV7()}`, new Date()];
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign(id, at, payload),
  };
  const url = `/api/v1/events/hooks/${token}`;
  return (await service.post(url, payload, headers)).statusCode;
}

async function expectNeverShown(id: string, secret: string, responses: readonly { body: string }[]): Promise<void> {
  const headers = { cookie: admin.cookie };
  const shown = await service.get(`${path}/${id}`, headers);
  const list = await service.get(path, headers);
  const stored = JSON.stringify(await service.backend.integrations.get(id));
  for (const text of [shown.body, list.body, stored, service.logLines.join(''), ...responses.map(({ body }) => body)]) {
    expect(text).not.toContain(secret.slice('whsec_'.length));
  }
}

describe.each(['POST /api/v1/integrations', 'POST /api/v1/integrations/{id}/rotate'])(
  '%s with a signingSecret',
  (operation) => {
    /** Creates an integration with these members, or rotates a new one to them. */
    const send = async (members: object) =>
      operation.endsWith('rotate') ? rotate((await create()).json().id, members) : create(members);

    test.each([{}, { signature: null }, { signature: 'standard-webhooks' }])(
      'accepts hooks that are signed with it, and no others, and never shows it: %j',
      async (members) => {
        const secret = aSecret();
        const response = await send({ ...members, signingSecret: secret });
        expect([200, 201]).toContain(response.statusCode);
        const { id, token, signature, ...body } = response.json();
        expect(signature).toBe('standard-webhooks');
        expect(body).not.toHaveProperty('signingSecret');
        expect([await post(token, secret), await post(token, aSecret())]).toEqual([202, 400]);
        await expectNeverShown(id, secret, [response]);
      },
    );

    test.each([
      ['24 bytes', aSecret(24)],
      ['64 bytes', aSecret(64)],
      ['without padding', aSecret(32).replace(/=$/, '')],
    ])('accepts a secret of %s', async (_, secret) => {
      const { token } = (await send({ signingSecret: secret })).json();
      expect(await post(token, secret)).toBe(202);
    });

    test.each([
      ['another prefix', 'sec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'format'],
      ['no prefix', 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'format'],
      ['base64url', `whsec_${'_-'.repeat(16)}`, 'format'],
      ['a blank', 'whsec_MfKQ9r8GKYqr TwjUPD8ILPZIo2LaLaSw', 'format'],
      ['bits after its end', `whsec_${'A'.repeat(42)}B=`, 'format'],
      ['too much padding', `${aSecret(24)}==`, 'format'],
      ['23 bytes', aSecret(23), 'too-short'],
      ['nothing after the prefix', 'whsec_', 'too-short'],
      ['65 bytes', aSecret(65), 'too-long'],
      ['a number', 7, 'type'],
    ])('returns 400 for a secret with %s, and does not repeat it', async (_, secret, code) => {
      const response = await send({ signingSecret: secret });
      const errors = [{ pointer: '#/signingSecret', code }];
      expectProblem(response, { status: 400, code: 'invalid-request', errors });
      if (typeof secret === 'string' && secret.length > 10) expect(response.body).not.toContain(secret.slice(6));
    });

    test('returns 400 for a secret without signatures', async () => {
      const errors = [{ pointer: '#/signingSecret', code: 'format' }];
      const response = await send({ signature: 'none', signingSecret: aSecret() });
      expectProblem(response, { status: 400, code: 'invalid-request', errors });
      expect((await send({ signature: 'none', signingSecret: null })).json()).toMatchObject({ signature: 'none' });
    });
  },
);

test('each token keeps its own secret during the overlap, and a rotation without a secret makes a new one', async () => {
  const [first, second] = [aSecret(), aSecret()];
  const before = (await create({ signingSecret: first })).json();
  const dictated = (await rotate(before.id, { signingSecret: second })).json();
  const statuses = [before.token, dictated.token].flatMap((token) =>
    [first, second].map((secret) => post(token, secret)),
  );
  expect(await Promise.all(statuses)).toEqual([202, 400, 400, 202]);
  const made = (await rotate(before.id)).json();
  expect(made.signingSecret).toMatch(/^whsec_/);
  expect([await post(made.token, made.signingSecret), await post(made.token, second)]).toEqual([202, 400]);
});

test('PATCH returns 400 unknown-field for a signingSecret, which belongs to the token', async () => {
  const { id } = (await create()).json();
  const response = await admin.patch(`${path}/${id}`, { signingSecret: aSecret() });
  const errors = [{ pointer: '#/signingSecret', code: 'unknown-field' }];
  expectProblem(response, { status: 400, code: 'invalid-request', errors });
});
