import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { customScheme } from '../../drivers/app/foreign-senders.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import {
  expectRefused,
  github,
  makeSourceClient,
  mapping,
  integrationsPath as path,
  secret,
  unsigned,
} from '../../drivers/app/source-client.ts';

const service = await openSharedApp();
const { headers } = await service.signedIn('admin');
const { create, createGitHub, post, previewOf, send } = makeSourceClient(service, headers);

describe('the mapping', () => {
  test('is changed as a whole, in the form in which it is shown', async () => {
    const { id, hookPath } = await createGitHub({ kind: { from: '/action' } });
    const shown = (await send('GET', `${path}/${id}`)).json().source.mapping;
    const same = await send('PUT', `${path}/${id}/source/mapping`, shown);
    expect({ status: same.statusCode, mapping: same.json().source.mapping }).toEqual({ status: 200, mapping: shown });
    const changed = await send('PUT', `${path}/${id}/source/mapping`, { ...shown, kind: { value: 'retired' } });
    expect(changed.json().source).toMatchObject({ preset: 'github', mapping: { kind: { value: 'retired' } } });
    expect(hookPath).toMatch(/wht_/);
  });

  test('of no source is not found', async () => {
    const { id } = (await create(null)).json() as { id: string };
    expectRefused(await send('PUT', `${path}/${id}/source/mapping`, mapping), 'not-found', 404);
    expectRefused(await send('PUT', `${path}/${id}/source/secrets`, { secrets: [secret] }), 'not-found', 404);
    expectRefused(await send('POST', `${path}/${id}/preview`, { body: '' }), 'not-found', 404);
  });

  test('secrets must be written as the scheme says', async () => {
    const { id } = await createGitHub();
    for (const secrets of [[], ['seven77']]) {
      expectRefused(await send('PUT', `${path}/${id}/source/secrets`, { secrets }), 'invalid-request');
    }
  });
});

describe('a scheme', () => {
  test.each([
    [customScheme, '00112233445566778899aabbccddeeff'],
    [{ algorithm: 'token', header: 'x-key', prefix: 'Token ' }, secret],
    [{ algorithm: 'basic' }, 'webhooks:a long password'],
    [{ algorithm: 'none' }],
  ])('is shown so that it can be sent again: %j', async (scheme, ...secrets) => {
    const source = { ...unsigned(), scheme, secrets };
    const { source: shown } = (await create(source)).json();
    const again = await create({ ...source, scheme: shown.scheme });
    expect(again.json().source.scheme).toEqual(shown.scheme);
  });
});

describe('a rotation', () => {
  test('needs the secrets again; the previous address keeps its own', async () => {
    const { id, hookPath } = await createGitHub({ kind: { value: 'updated' } });
    const missing = await send('POST', `${path}/${id}/rotate`, {});
    expect(missing.json().errors).toEqual([expect.objectContaining({ pointer: '#/secrets', code: 'required' })]);
    const rotated = await send('POST', `${path}/${id}/rotate`, { secrets: ['another secret'] });
    const { token, signature, previousSignature } = rotated.json();
    expect({ signature, previousSignature }).toEqual({ signature: 'source', previousSignature: 'source' });
    const next = `/api/v1/events/hooks/${token}`;
    expect((await post(next, '{}', { signedWith: 'another secret' })).statusCode).toBe(202);
    expect((await post(next, '{}')).statusCode).toBe(400);
    expect((await post(hookPath, '{}')).statusCode).toBe(202);
  });

  test('of an integration without a source takes no secrets', async () => {
    const { id } = (await create(null)).json() as { id: string };
    const response = await send('POST', `${path}/${id}/rotate`, { secrets: [secret] });
    expect(response.json().errors).toEqual([expect.objectContaining({ pointer: '#/secrets' })]);
  });
});

describe('a preview', () => {
  test('needs the address of the integration to verify a signature', async () => {
    const { id, hookPath } = await createGitHub();
    const body = '{"action":"archived"}';
    const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
    const request = { body, headers: { 'X-Hub-Signature-256': signature, 'X-GitHub-Delivery': 'one' } };
    const resultWith = async (url?: string) => {
      const payload = { ...request, ...(url === undefined ? {} : { url }) };
      return (await send('POST', `${path}/${id}/preview`, payload)).json();
    };
    expect((await resultWith()).signature).toEqual({ result: 'not-verified', secret: null, reason: null });
    expect((await resultWith(`https://hooks.example${hookPath}`)).signature.result).toBe('valid');
    const { hookPath: other } = await createGitHub();
    expect((await resultWith(`https://hooks.example${other}`)).signature.result).toBe('not-verified');
    expect((await resultWith()).mapped).toEqual([
      { member: 'kind', read: 'archived', became: 'retired' },
      { member: 'occurredAt', read: null, became: expect.any(String) },
      { member: 'id', read: 'one', became: 'one' },
      { member: 'payload', read: body, became: body },
    ]);
  });

  test('verifies no signature whose header stands without its secret', async () => {
    const source = { preset: 'gitlab', secrets: [secret], mapping: { kind: { value: 'updated' }, id: null } };
    const resultWith = async (token: string) =>
      (await previewOf(source, { headers: { 'X-Gitlab-Token': token }, body: '{}' })) as { signature: object };
    expect(await resultWith('')).toMatchObject({ outcome: 'hook', signature: { result: 'not-verified' } });
    expect(await resultWith('wrong')).toMatchObject({ outcome: 'refused', signature: { result: 'invalid' } });
  });

  test('refuses what the address refuses before it reads a body', async () => {
    const large = await previewOf(unsigned(), { body: `{"a":"${'x'.repeat(65_536)}"}` });
    expect(large.refusal).toMatchObject({
      step: 'body',
      reason: expect.stringMatching(/65536 bytes.*BODY_LIMIT_BYTES/),
    });
    const gzip = await previewOf(unsigned(), { headers: { 'Content-Encoding': 'gzip' }, body: '{}' });
    expect(gzip.refusal).toMatchObject({ step: 'body' });
    expect((await previewOf(unsigned(), { body: '{}' })).signature).toMatchObject({ result: 'valid' });
  });

  test('shows a text that it refuses', async () => {
    const { mapped } = await previewOf(unsigned({ occurredAt: { from: '/at' } }), { body: '{"at":"yesterday"}' });
    expect(mapped.at(-1)).toEqual({ member: 'occurredAt', read: 'yesterday', became: null });
  });

  test('has one method', async () => {
    const response = await service.inject({ method: 'OPTIONS', url: `${path}/preview` });
    expect(response.headers.allow).toBe('POST');
  });

  test('says why a signature is not valid, and shows no secret', async () => {
    const response = await send('POST', `${path}/preview`, { source: github, body: '{}' });
    expect(response.json()).toMatchObject({
      outcome: 'refused',
      signature: { result: 'invalid', reason: 'the header x-hub-signature-256 is missing' },
      refusal: { step: 'signature' },
    });
    expect(response.body).not.toContain(secret);
  });

  test('maps a request whose signature is not valid, or not verified, all the same', async () => {
    const request = { body: '{"action":"archived"}', headers: { 'X-GitHub-Delivery': 'one' } };
    const { secrets, ...withoutSecrets } = github;
    for (const source of [github, withoutSecrets]) {
      const { outcome, hook } = await previewOf(source, request);
      expect(outcome).toBe(source === github ? 'refused' : 'hook');
      expect(hook).toMatchObject({ kind: 'retired', id: 'one' });
    }
    expect(secrets).toEqual([secret]);
  });

  test('shows the widget of the event', async () => {
    const payload = { name: 'pump' };
    const { id } = (await send('POST', '/api/v1/widgets', payload)).json() as { id: string };
    const source = unsigned({ widgetId: { from: '/id' } }, { value: 'retired' });
    const { event } = await previewOf(source, { body: JSON.stringify({ id: id.toUpperCase() }) });
    expect(event.data).toMatchObject({ stateChanged: true, widget: { id, state: 'retired', version: 2 } });
    expect((await send('GET', `/api/v1/widgets/${id}`)).json()).toMatchObject({ state: 'active', version: 1 });
  });
});
