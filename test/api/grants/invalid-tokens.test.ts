import { mintToken, type TokenPrefix } from '@widget-service/shared/domain/token.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { signInThroughPorts, type TestCaller, type TestResponse } from '../../drivers/app/test-app.ts';
import { openTestService, type TestService } from '../../drivers/app/test-service.ts';
import { eventually } from '../../drivers/tools/eventually.ts';
import { createHttpSender, type HttpSender } from '../bad-input/http-sender.ts';

let service: TestService;
let http: HttpSender;
let admin: TestCaller;
beforeAll(async () => {
  service = await openTestService();
  http = createHttpSender(service.url);
  admin = await signInThroughPorts(service.backend, 'admin');
});
afterAll(async () => {
  http.close();
  await service.close();
});

const past = () => new Date(Date.now() - 1);

async function manage(method: string, path: string, body?: object): Promise<{ id: string; token: string }> {
  const headers = { ...admin.headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
  const sent = { method, path: `/api/v1/${path}`, headers };
  const response = await http.send(body === undefined ? sent : { ...sent, body: JSON.stringify(body) });
  expect(response.statusCode, response.body).toBeLessThan(300);
  return response.body === '' ? { id: '', token: '' } : response.json();
}

/** One token of each way of being invalid. The revoked, expired and replaced ones were valid before. */
async function makeInvalidTokens(kind: GrantCase): Promise<readonly (readonly [string, string])[]> {
  const { path, prefix, otherPrefix, expire } = kind;
  const [revoked, expired, replaced, valid] = await Promise.all(
    ['revoked', 'expired', 'replaced', 'valid'].map((name) => manage('POST', path, { name })),
  );
  if (!revoked || !expired || !replaced || !valid) throw new Error('expected four grants');
  // Uses the tokens once, so that the pod has them cached as valid.
  for (const { token } of [revoked, replaced]) await kind.send(token);
  await manage('DELETE', `${path}/${revoked.id}`);
  await expire(expired.id);
  await manage('POST', `${path}/${replaced.id}/rotate`, { overlapSeconds: 0 });
  for (const { token } of [revoked, replaced]) {
    const isRejected = async () => (await kind.send(token)).statusCode === kind.expected.status;
    await eventually(isRejected, 'the revoked or replaced token is rejected', 2_000);
  }
  return [
    ['unknown', mintToken(prefix)],
    ['revoked', revoked.token],
    ['expired', expired.token],
    ['replaced', replaced.token],
    ['of another kind', mintToken(otherPrefix)],
    ['mistyped', `${valid.token.slice(0, -1)}${valid.token.endsWith('0') ? '1' : '0'}`],
    ['cut off', valid.token.slice(0, -1)],
    ['with a trailing character', `${valid.token}0`],
    ['in lower case', valid.token.toLowerCase()],
    ['short', 'x'],
    ['long', 'x'.repeat(5_000)],
  ];
}

interface GrantCase {
  readonly path: string;
  readonly prefix: TokenPrefix;
  readonly otherPrefix: TokenPrefix;
  readonly expire: (id: string) => Promise<unknown>;
  readonly send: (token: string) => Promise<TestResponse>;
  readonly expected: Parameters<typeof expectProblem>[1];
}

const kinds: Readonly<Record<string, GrantCase>> = {
  'POST /api/v1/events/hooks/{token}': {
    path: 'integrations',
    prefix: 'wht',
    otherPrefix: 'wst',
    expire: (id) => service.backend.integrations.update(id, { expiresAt: past() }),
    send: (token) =>
      http.send({
        method: 'POST',
        path: `/api/v1/events/hooks/${token}`,
        headers: { 'content-type': 'application/json' },
        body: '{"kind":"updated","occurredAt":"2026-03-01T10:00:00Z"}',
      }),
    expected: { status: 400, code: 'invalid-hook-token' },
  },
  'GET /api/v1/events/{token}': {
    path: 'subscriptions',
    prefix: 'wst',
    otherPrefix: 'wht',
    expire: (id) => service.backend.subscriptions.update(id, { expiresAt: past() }),
    // A GET with a valid token would not end, so HEAD goes first. An invalid token is sent as a browser would.
    send: async (token) => {
      const head = await http.send({ method: 'HEAD', path: `/api/v1/events/${token}` });
      return head.statusCode === 200 ? head : http.send({ method: 'GET', path: `/api/v1/events/${token}` });
    },
    expected: { status: 404, code: 'stream-not-found' },
  },
  'POST /api/v1/widgets with a Bearer token': {
    path: 'provision-tokens',
    prefix: 'wpt',
    otherPrefix: 'wst',
    expire: (id) => service.backend.provisionTokens.update(id, { expiresAt: past() }),
    send: (token) =>
      http.send({
        method: 'POST',
        path: '/api/v1/widgets',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: '{"name":"x"}',
      }),
    expected: { status: 403, code: 'not-authenticated' },
  },
};

describe.each(Object.entries(kinds))('%s', (_, kind) => {
  test('returns the same response, except for the request id, for every kind of invalid token', async () => {
    const tokens = await makeInvalidTokens(kind);
    const responses = await Promise.all(
      tokens.map(async ([name, token]) => {
        const response = await kind.send(token);
        expect(response.statusCode, name).toBe(kind.expected.status);
        expectProblem(response, kind.expected);
        return { name, ...removeRequestId(response) };
      }),
    );
    for (const { name, headers, body } of responses) {
      expect(body, name).toBe(responses[0]?.body);
      expect(headers, name).toEqual(responses[0]?.headers);
    }
  });
});

function removeRequestId({ headers, body }: TestResponse): { headers: object; body: string } {
  const { 'x-request-id': id, date: _, ...others } = headers;
  return { headers: others, body: body.replaceAll(String(id), 'the request id') };
}
