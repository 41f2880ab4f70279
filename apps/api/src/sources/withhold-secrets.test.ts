import type { HookMapping } from '@widget-service/shared/entities/hook-mapping.ts';
import { type HookSource, schemeDefaults } from '@widget-service/shared/entities/hook-source.ts';
import { expect, test } from 'vitest';
import { withholdSecrets } from './read-source.ts';

const mapping: HookMapping = {
  only: [],
  kind: { value: 'updated', values: {}, otherwise: 'updated' },
  occurredAt: { now: true, format: 'rfc3339', otherwise: 'now' },
  widgetId: null,
  id: null,
  payload: null,
};
const withhold = (source: Partial<HookSource>, ...rawHeaders: string[]) =>
  withholdSecrets(rawHeaders, { preset: 'github', scheme: null, mapping, ...source });

test('keeps what the sender sent, also twice, by the name in lower case', () => {
  const shown = withhold(
    {},
    'Content-Type',
    'application/json',
    'X-GitHub-Event',
    'push',
    'Linear-Event',
    '1',
    'linear-event',
    '2',
  );
  expect(shown.headers).toEqual({
    'content-type': ['application/json'],
    'x-github-event': ['push'],
    'linear-event': ['1', '2'],
  });
  expect(shown.withheldHeaders).toEqual([]);
});

test('keeps a signature, from which nobody learns the secret', () => {
  expect(withhold({}, 'X-Hub-Signature-256', 'sha256=00').headers).toEqual({ 'x-hub-signature-256': ['sha256=00'] });
});

test.each<[Partial<HookSource>, string]>([
  [{ preset: 'gitlab' }, 'X-Gitlab-Token'],
  [{ preset: 'cloudevents' }, 'Authorization'],
  [{ preset: 'custom', scheme: { ...schemeDefaults, algorithm: 'token', header: 'x-hello' } }, 'X-Hello'],
  [{ preset: 'custom', scheme: { ...schemeDefaults, algorithm: 'basic', header: 'authorization' } }, 'AUTHORIZATION'],
  [{}, 'Cookie'],
  [{}, 'Proxy-Authorization'],
  [{}, 'X-Api-Key'],
  [{}, 'X-Shared-Secret'],
  [{}, 'X-Pass'],
  [{}, 'X-Session-Id'],
  [{}, 'X-Goog-IAP-JWT-Assertion'],
  [{}, 'Cf-Access-Jwt-Assertion'],
  [{}, 'X-Forwarded-Client-Cert'],
  [{}, 'X-Forwarded-For'],
  [{}, 'Forwarded'],
  [{}, 'X-Real-IP'],
  [{}, 'Webhook-Secret'],
  [{}, 'X-Gitlab-Token'],
  [{}, 'X-Shopify-Access-Token'],
  [{ mapping: { ...mapping, id: { header: 'authorization' } } }, 'authorization'],
  [
    {
      preset: 'gitlab',
      mapping: { ...mapping, id: { all: [{ header: 'x-gitlab-token' }] } },
    },
    'x-gitlab-token',
  ],
])('withholds a header that may hold a secret or an address: %j %s', (source, name) => {
  expect(withhold(source, name, 'a secret', 'date', '1', name, 'again')).toEqual({
    headers: { date: ['1'] },
    withheldHeaders: [name.toLowerCase()],
  });
});

test.each([
  { id: { header: 'i-twilio-idempotency-token' } },
  { widgetId: { all: [{ header: 'i-twilio-idempotency-token' }], as: 'name', otherwise: 'none' } },
  { only: [{ header: 'i-twilio-idempotency-token', in: ['a'] }] },
] satisfies Partial<HookMapping>[])('keeps a header that the mapping reads, whatever its name: %j', (changed) => {
  const name = 'i-twilio-idempotency-token';
  expect(withhold({ mapping: { ...mapping, ...changed } }, name, 'an id').headers).toEqual({ [name]: ['an id'] });
});

test('shows a header once the mapping reads it', () => {
  const changed = { ...mapping, id: { header: 'x-session-id' } };
  expect(withhold({ mapping: changed }, 'X-Session-Id', 'an id').headers).toEqual({ 'x-session-id': ['an id'] });
});
