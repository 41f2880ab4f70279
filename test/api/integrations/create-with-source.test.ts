import { generateKeyPairSync } from 'node:crypto';
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
  withScheme,
} from '../../drivers/app/source-client.ts';

const service = await openSharedApp();
const { headers } = await service.signedIn('admin');
const { create, post, send } = makeSourceClient(service, headers);

const aPrivateKey = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
const withSecret = (text: string) => ({ preset: 'standard-webhooks', secrets: [text], mapping });

describe('POST /api/v1/integrations with a source', () => {
  test('shows the source with its defaults, and never a secret', async () => {
    const created = await create(github);
    const { id, signature, source } = created.json();
    expect({ signature, source }).toEqual({
      signature: 'source',
      source: {
        preset: 'github',
        scheme: null,
        mapping: {
          only: [],
          ...mapping,
          occurredAt: { now: true, format: 'rfc3339', otherwise: 'now' },
          widgetId: null,
          id: { header: 'x-github-delivery' },
          payload: { from: '' },
        },
      },
    });
    const texts = [created.body, (await send('GET', `${path}/${id}`)).body, (await send('GET', path)).body];
    const stored = JSON.stringify(await service.backend.integrations.get(id));
    for (const text of [...texts, stored, service.logLines.join('')]) expect(text).not.toContain(secret);
  });

  test('without a source, the integration is as ever', async () => {
    for (const source of [undefined, null]) {
      const { source: shown, signature, token } = (await create(source as null)).json();
      expect({ shown, signature }).toEqual({ shown: null, signature: 'none' });
      const body = '{"kind":"updated","occurredAt":"2026-03-01T10:00:00Z"}';
      expect((await post(`/api/v1/events/hooks/${token}`, body)).statusCode).toBe(202);
      const form = { type: 'application/x-www-form-urlencoded' };
      expectRefused(await post(`/api/v1/events/hooks/${token}`, 'kind=updated', form), 'unsupported-media-type');
    }
  });

  test.each([
    ['an unknown preset', { ...github, preset: 'gitlob' }, '#/source/preset'],
    ['a scheme beside a preset', { ...github, scheme: customScheme }, '#/source/scheme'],
    ['custom without a scheme', { ...github, preset: 'custom' }, '#/source/scheme'],
    ['no secret', { ...github, secrets: [] }, '#/source/secrets'],
    ['secrets left out', { preset: 'github', mapping }, '#/source/secrets'],
    ['a short secret', { ...github, secrets: [secret, 'seven77'] }, '#/source/secrets/1'],
    ['five secrets', { ...github, secrets: [1, 2, 3, 4, 5].map((at) => `${secret}${at}`) }, '#/source/secrets'],
    [
      'a secret of another encoding',
      { preset: 'standard-webhooks', secrets: ['not base64'], mapping },
      '#/source/secrets/0',
    ],
    ['a secret for a scheme without', { ...unsigned(), secrets: [secret] }, '#/source/secrets'],
    ['no mapping', { preset: 'github', secrets: [secret] }, '#/source/mapping'],
    ['a pointer without slash', { ...github, mapping: { kind: { from: 'action' } } }, '#/source/mapping/kind/from'],
    ['two places', { ...github, mapping: { kind: { from: '/a', header: 'b' } } }, '#/source/mapping/kind'],
    ['no place', { ...github, mapping: { kind: { otherwise: 'updated' } } }, '#/source/mapping/kind'],
    [
      'an unknown kind',
      { ...github, mapping: { kind: { from: '/a', values: { a: 'b' } } } },
      '#/source/mapping/kind/values/a',
    ],
    ['an unknown member', { ...github, mapping: { ...mapping, code: 'x' } }, '#/source/mapping/code'],
    ['one part', { ...github, mapping: { ...mapping, id: { all: [{ from: '/a' }] } } }, '#/source/mapping/id/all'],
    [
      'a time that is not signed',
      { ...unsigned(), secrets: [secret], scheme: { ...customScheme, secretEncoding: 'text', signed: '{id}.{body}' } },
      '#/source/scheme/signed',
    ],
    ...['{id}{timestamp}{body}', '{timestamp}{id}.{body}', '{timestamp}.{body}v1{id}', '{body}.{timestamp}{id}'].map(
      (signed): [string, object, string] => [
        `an id that nothing separates: ${signed}`,
        { ...unsigned(), secrets: [secret], scheme: { ...customScheme, secretEncoding: 'text', signed } },
        '#/source/scheme/signed',
      ],
    ),
    ['a key that can be guessed', { ...github, secrets: ['15 characters..'] }, '#/source/secrets/0'],
    ['a token that can be guessed', { preset: 'gitlab', secrets: ['7 chars'], mapping }, '#/source/secrets/0'],
    ['a secret with a line', { ...github, secrets: ['a secret in\ntwo lines of text'] }, '#/source/secrets/0'],
    [
      'a secret with what nobody sees',
      { ...github, secrets: ['a secret that\u200b was copied'] },
      '#/source/secrets/0',
    ],
    ['a scheme without header', { ...unsigned(), scheme: { algorithm: 'hmac-sha256' } }, '#/source/scheme/header'],
    [
      'a template without the body',
      withScheme({ algorithm: 'hmac-sha256', header: 'x-sig', signed: 'x' }),
      '#/source/scheme/signed',
    ],
    [
      'a template with the body twice',
      withScheme({ algorithm: 'hmac-sha256', header: 'x-sig', signed: '{body}{body}' }),
      '#/source/scheme/signed',
    ],
    [
      'a time with a token',
      withScheme({ algorithm: 'token', header: 'x-key', timestamp: { header: 'x-time' } }),
      '#/source/scheme/timestamp',
    ],
    [
      'an encoded token',
      withScheme({ algorithm: 'token', header: 'x-key', secretEncoding: 'hex' }),
      '#/source/scheme/secretEncoding',
    ],
    [
      'a time among signatures that nothing separates',
      withScheme({
        algorithm: 'hmac-sha256',
        header: 'x-sig',
        timestamp: { entry: 't=' },
        signed: '{timestamp}{body}',
      }),
      '#/source/scheme/separator',
    ],
    [
      'a prefix with the separator',
      withScheme({ algorithm: 'hmac-sha256', header: 'x-sig', separator: ';', prefix: 'v1;' }),
      '#/source/scheme/prefix',
    ],
    ['a key of 15 bytes', withSecret('whsec_AAAAAAAAAAAAAAAAAAAA'), '#/source/secrets/0'],
    ['a public key for an HMAC', withSecret(`whpk_${'A'.repeat(43)}=`), '#/source/secrets/0'],
    ['an empty password', withScheme({ algorithm: 'basic' }, 'webhooks:'), '#/source/secrets/0'],
    ['a private key', withScheme({ algorithm: 'ed25519', header: 'x-sig' }, aPrivateKey), '#/source/secrets/0'],
    [
      'several texts as a UUID',
      { ...github, mapping: { ...mapping, widgetId: { all: [{ from: '/a' }, { from: '/b' }] } } },
      '#/source/mapping/widgetId/as',
    ],
  ])('refuses %s', async (_, source, pointer) => {
    const response = await create(source);
    expect(response.json().errors).toEqual([expect.objectContaining({ pointer })]);
    expectRefused(response, 'invalid-request');
    expect(response.body).not.toContain(secret);
  });

  test.each(['', '=', 'a', '-', ';;', 'é', '\t'])('refuses the separator “%s”', async (separator) => {
    const response = await create(withScheme({ algorithm: 'hmac-sha256', header: 'x-sig', separator }));
    expect(response.json().errors).toEqual([expect.objectContaining({ pointer: '#/source/scheme/separator' })]);
  });

  test.each([{ signature: 'standard-webhooks' }, { signature: 'none' }])(
    'refuses %j beside a source',
    async (members) => {
      const response = await create(github, members);
      expect(response.json().errors).toEqual([expect.objectContaining({ pointer: '#/signature' })]);
    },
  );
});
