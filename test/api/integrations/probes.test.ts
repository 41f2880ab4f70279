import { describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import { github, makeSourceClient, unsigned } from '../../drivers/app/source-client.ts';

const service = await openSharedApp();
const { headers } = await service.signedIn('admin');
const { create } = makeSourceClient(service, headers);

const cloudevents = { preset: 'cloudevents', secrets: ['a bearer token'], mapping: { kind: { value: 'updated' } } };
const challenged = (scheme: object = { algorithm: 'none' }, ...secrets: string[]) => ({
  ...unsigned(),
  scheme: { ...scheme, challengeParameter: 'hub.challenge' },
  secrets,
});

async function createPath(source: object | null): Promise<string> {
  const response = await create(source);
  expect(response.statusCode).toBe(201);
  return `/api/v1/events/hooks/${response.json().token}`;
}
const ask = (method: 'GET' | 'OPTIONS', url: string, sent: Record<string, string> = {}) =>
  service.inject({ method, url, headers: sent });

describe('a sender of CloudEvents', () => {
  test('is told that its origin may post', async () => {
    const path = await createPath(cloudevents);
    const response = await ask('OPTIONS', path, {
      'webhook-request-origin': 'eventemitter.example.com',
      'webhook-request-rate': '120',
    });
    expect(response.statusCode).toBe(200);
    expect(response.headers).toMatchObject({
      'webhook-allowed-origin': 'eventemitter.example.com',
      'webhook-allowed-rate': '*',
    });
    expect(response.body).toBe('');
  });

  test.each([undefined, 'with space', 'a'.repeat(1_025)])('must name its origin: %s', async (origin) => {
    const path = await createPath(cloudevents);
    const response = await ask('OPTIONS', path, origin === undefined ? {} : { 'webhook-request-origin': origin });
    expectProblem(response, { status: 405, code: 'method-not-allowed' });
  });
});

describe('a challenge by GET', () => {
  test.each([
    challenged(),
    challenged({ algorithm: 'token', header: 'x-key' }, 'a secret key of theirs'),
    challenged({ algorithm: 'hmac-sha256', header: 'x-signature' }, 'a secret key of theirs'),
  ])('is answered with its text: %j', async (source) => {
    const path = await createPath(source);
    const response = await ask('GET', `${path}?hub.mode=subscribe&hub.challenge=11%3Cb%3E%20%C3%BC&hub.verify_token=x`);
    expect({ status: response.statusCode, body: response.body }).toEqual({ status: 200, body: '11<b> ü' });
    expect(response.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
    });
  });

  test.each([
    '',
    '?challenge=1',
    '?hub.challenge=',
    '?hub.challenge=1&hub.challenge=2',
    `?hub.challenge=${'a'.repeat(1_025)}`,
  ])('is no other request: %s', async (query) => {
    const path = await createPath(challenged());
    expectProblem(await ask('GET', `${path}${query}`), { status: 405, code: 'method-not-allowed' });
  });

  test('may be a POST without a body', async () => {
    const path = await createPath(
      challenged({ algorithm: 'hmac-sha256', header: 'x-signature' }, 'the key of the sender'),
    );
    const url = `${path}?hub.challenge=Validation%3A+abc`;
    const response = await service.inject({ method: 'POST', url, headers: { 'content-type': 'text/plain' } });
    expect({ status: response.statusCode, body: response.body }).toEqual({ status: 200, body: 'Validation: abc' });
    expect(response.headers['content-type']).toBe('text/plain; charset=utf-8');
    const hook = { headers: { 'content-type': 'application/json' }, payload: '{}' };
    expectProblem(await service.inject({ method: 'POST', url, ...hook }), {
      status: 400,
      code: 'invalid-hook-signature',
    });
    expectProblem(await service.post(path), { status: 400, code: 'invalid-hook-signature' });
  });

  test('without a name answers each GET and HEAD, for senders that only look whether the address answers', async () => {
    const path = await createPath({ ...unsigned(), scheme: { algorithm: 'none', challengeParameter: '' } });
    for (const method of ['GET', 'HEAD'] as const) {
      const response = await service.inject({ method, url: path });
      expect({ status: response.statusCode, body: response.body }).toEqual({ status: 200, body: '' });
    }
    expectProblem(await service.post(path), { status: 400, code: 'invalid-json' });
  });

  test('is shown with the scheme, so that it can be sent again', async () => {
    for (const source of [
      challenged(),
      challenged({ algorithm: 'token', header: 'x-key' }, 'a secret key of theirs'),
    ]) {
      const { source: shown } = (await create(source)).json();
      const again = await create({ ...source, scheme: shown.scheme });
      expect(again.json().source.scheme).toEqual(shown.scheme);
      expect(shown.scheme.challengeParameter).toBe('hub.challenge');
    }
  });
});

test.each([null, github, cloudevents, unsigned()])(
  'no other hook address answers GET or OPTIONS: %j',
  async (source) => {
    const path = await createPath(source);
    // Only a sender of CloudEvents asks for its origin.
    const probe = source === cloudevents ? {} : { 'webhook-request-origin': 'a.example' };
    const asked = [
      await ask('GET', `${path}?hub.challenge=1`),
      await ask('OPTIONS', path, { ...probe, origin: 'https://a.example', 'access-control-request-method': 'POST' }),
    ];
    for (const response of asked) {
      expectProblem(response, { status: 405, code: 'method-not-allowed' });
      expect(response.headers.allow).toBe('POST');
    }
    const put = await service.put(path);
    expect({ status: put.statusCode, allow: put.headers.allow }).toEqual({ status: 405, allow: 'POST' });
  },
);
