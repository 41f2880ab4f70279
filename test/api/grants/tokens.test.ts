import { computeCsrfToken } from '@widget-service/api/caller/csrf.ts';
import { mintToken, type TokenPrefix } from '@widget-service/shared/domain/token.ts';
import { afterAll, describe, expect, test } from 'vitest';
import { signIn, testAdmin } from '../../drivers/app/console-client.ts';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { grantKinds } from '../../drivers/app/grant-kinds.ts';
import { openSharedApp, openSharedService } from '../../drivers/app/open-shared.ts';
import { signInThroughPorts, startSession, type TestResponse } from '../../drivers/app/test-app.ts';
import { eventually } from '../../drivers/tools/eventually.ts';
import { createManualClock } from '../../drivers/tools/manual-clock.ts';
import { createHttpSender } from '../bad-input/http-sender.ts';

describe('invalid tokens', async () => {
  const service = await openSharedService();
  const http = createHttpSender(service.url);
  const admin = await signInThroughPorts(service.backend, 'admin');

  afterAll(() => http.close());

  const past = () => new Date(Date.now() - 1);

  async function manage(method: string, path: string, body?: object): Promise<{ id: string; token: string }> {
    const headers = { ...admin.headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
    const sent = { method, path: `/api/v1/${path}`, headers };
    const response = await http.send(body === undefined ? sent : { ...sent, body: JSON.stringify(body) });
    expect(response.statusCode, response.body).toBeLessThan(300);
    return response.body === '' ? { id: '', token: '' } : response.json();
  }

  /** One token of each way of being invalid. The revoked, expired, replaced and ended ones were valid before. */
  async function makeInvalidTokens(kind: GrantCase): Promise<readonly (readonly [string, string])[]> {
    const { path, prefix, otherPrefix, expire } = kind;
    const [revoked, expired, replaced, endedEarly, valid] = await Promise.all(
      ['revoked', 'expired', 'replaced', 'ended early', 'valid'].map((name) => manage('POST', path, { name })),
    );
    if (!revoked || !expired || !replaced || !endedEarly || !valid) throw new Error('expected five grants');
    await manage('POST', `${path}/${endedEarly.id}/rotate`, { overlapSeconds: 86_400 });
    // Uses the tokens once, so that the pod has them cached as valid.
    for (const { token } of [revoked, replaced, endedEarly]) await kind.send(token);
    await manage('DELETE', `${path}/${endedEarly.id}/previous-token`);
    await manage('DELETE', `${path}/${revoked.id}`);
    await expire(expired.id);
    await manage('POST', `${path}/${replaced.id}/rotate`, { overlapSeconds: 0 });
    for (const { token } of [revoked, replaced, endedEarly]) {
      const isRejected = async () => (await kind.send(token)).statusCode === kind.expected.status;
      await eventually(isRejected, 'the revoked, replaced or ended token is rejected', 2_000);
    }
    return [
      ['unknown', mintToken(prefix)],
      ['revoked', revoked.token],
      ['expired', expired.token],
      ['replaced', replaced.token],
      ['ended before its overlap', endedEarly.token],
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
      expire: (id) => service.backend.integrations.change(id, () => ({ expiresAt: past() })),
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
      expire: (id) => service.backend.subscriptions.change(id, () => ({ expiresAt: past() })),
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
      expire: (id) => service.backend.provisionTokens.change(id, () => ({ expiresAt: past() })),
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
});

describe('token lifetime', async () => {
  const dayMs = 86_400_000;

  const clock = createManualClock();

  const service = await openSharedApp({ clock, TOKEN_MAX_LIFETIME_MS: 30 * dayMs });
  const admin = await service.signedIn('admin');

  /** Starts a session at the time of the manual clock, which other sessions may not live to see. */
  async function startSessionNow() {
    const sessionId = await startSession(service.backend, admin.userId, { clock, sessionLifetimeMs: dayMs });
    return { cookie: `service_console=${sessionId}`, 'x-csrf-token': computeCsrfToken(sessionId) };
  }

  const inDays = (days: number, extraMs = 0) => new Date(clock.now().getTime() + days * dayMs + extraMs).toISOString();

  describe.each(grantKinds)('$path with TOKEN_MAX_LIFETIME_MS', ({ path, selectStore }) => {
    const send = async (method: 'POST' | 'PATCH', url: string, payload: object) =>
      service.inject({ method, url, headers: await startSessionNow(), payload });
    const create = (members: object) => send('POST', path, { name: 'mine', ...members });
    const expectTooLate = (response: Awaited<ReturnType<typeof create>>) => {
      const errors = [{ pointer: '#/expiresAt', code: 'too-large' }];
      expectProblem(response, { status: 400, code: 'invalid-request', errors });
    };

    test('a grant created without an expiry gets the latest one; a later one is rejected', async () => {
      for (const members of [{}, { expiresAt: null }]) {
        expect((await create(members)).json()).toMatchObject({ expiresAt: inDays(30), tokenIssuedAt: inDays(0) });
      }
      expect((await create({ expiresAt: inDays(30) })).json()).toMatchObject({ expiresAt: inDays(30) });
      expect((await create({ expiresAt: inDays(1) })).json()).toMatchObject({ expiresAt: inDays(1) });
      const response = await create({ expiresAt: inDays(30, 1) });
      expectTooLate(response);
      expect(response.json().errors[0].detail).toContain(inDays(30));
    });

    test('a change counts from the issue of the token; a rotation starts anew', async () => {
      const { id } = (await create({ expiresAt: inDays(1) })).json();
      const url = `${path}/${id}`;
      clock.advance(dayMs / 2);
      expectTooLate(await send('PATCH', url, { expiresAt: inDays(30) }));
      expect((await send('PATCH', url, { name: 'other' })).json()).toMatchObject({ expiresAt: inDays(0.5) });
      expect((await send('PATCH', url, { expiresAt: null })).json()).toMatchObject({ expiresAt: inDays(29.5) });
      const rotated = (await send('POST', `${url}/rotate`, {})).json();
      expect(rotated).toMatchObject({ expiresAt: inDays(29.5), tokenIssuedAt: inDays(0) });
      expect((await send('PATCH', url, { expiresAt: inDays(30) })).json()).toMatchObject({ expiresAt: inDays(30) });
    });

    test('a grant from before the limit keeps its expiry until it is rotated', async () => {
      const { id } = (await create({})).json();
      const grants = selectStore(service.backend);
      const url = `${path}/${id}`;
      await grants.change(id, () => ({ expiresAt: null }));
      expect((await send('PATCH', url, { name: 'other' })).json()).toMatchObject({ expiresAt: null });
      expect((await send('POST', `${url}/rotate`, {})).json()).toMatchObject({ expiresAt: inDays(30) });
      await grants.change(id, () => ({ expiresAt: new Date(inDays(90)) }));
      clock.advance(31 * dayMs);
      expectTooLate(await send('PATCH', url, { expiresAt: null }));
      const rotated = (await send('POST', `${url}/rotate`, {})).json();
      expect(rotated).toMatchObject({ expiresAt: inDays(30) });
      expect((await grants.get(id))?.expiresAt?.toISOString()).toBe(rotated.expiresAt);
    });
  });
});

describe('tokens in use', async () => {
  const service = await openSharedService({ ADMIN_EMAIL: testAdmin.email, ADMIN_PASSWORD: testAdmin.password });
  const admin = await signIn(service.url);

  const postForStatus = async (path: string, body: object, headers: Record<string, string> = {}): Promise<number> => {
    const request = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } };
    const response = await fetch(`${service.url}${path}`, { ...request, body: JSON.stringify(body) });
    await response.arrayBuffer();
    return response.status;
  };
  const createWidgetStatus = (token: string) =>
    postForStatus('/api/v1/widgets', { name: 'lamp' }, { authorization: `Bearer ${token}` });
  const sendHookStatus = (token: string) =>
    postForStatus(`/api/v1/events/hooks/${token}`, { kind: 'updated', occurredAt: '2026-03-01T10:00:00Z' });

  async function rotate(path: string, overlapSeconds: number): Promise<string> {
    const response = await admin.request('POST', `${path}/rotate`, { overlapSeconds });
    return ((await response.json()) as { token: string }).token;
  }

  test('DELETE /api/v1/provision-tokens/{id} ends a token that is in use', async () => {
    const { id, token } = await admin.createProvisionToken('script');
    expect(await createWidgetStatus(token)).toBe(201);
    expect((await admin.request('DELETE', `/api/v1/provision-tokens/${id}`)).status).toBe(204);
    await eventually(async () => (await createWidgetStatus(token)) === 403, 'the token is rejected');
  });

  test('POST /api/v1/provision-tokens/{id}/rotate without overlap ends a token that is in use; the new one works', async () => {
    const { id, token } = await admin.createProvisionToken('script');
    expect(await createWidgetStatus(token)).toBe(201);
    const newToken = await rotate(`/api/v1/provision-tokens/${id}`, 0);
    expect(await createWidgetStatus(newToken)).toBe(201);
    await eventually(async () => (await createWidgetStatus(token)) === 403, 'the previous token is rejected');
    expect(await createWidgetStatus(newToken)).toBe(201);
  });

  test('POST /api/v1/integrations/{id}/rotate ends a token in use with the overlap; the new one works', async () => {
    const { id, token } = await admin.createIntegration('shop');
    expect(await sendHookStatus(token)).toBe(202);
    const newToken = await rotate(`/api/v1/integrations/${id}`, 2);
    expect([await sendHookStatus(token), await sendHookStatus(newToken)]).toEqual([202, 202]);
    await eventually(async () => (await sendHookStatus(token)) === 400, 'the previous token is rejected');
    expect(await sendHookStatus(newToken)).toBe(202);
  });

  test('PATCH of expiresAt ends a token in use, and removing expiresAt makes it valid again', async () => {
    const { id, token } = await admin.createProvisionToken('script');
    const path = `/api/v1/provision-tokens/${id}`;
    expect(await createWidgetStatus(token)).toBe(201);
    const expiresAt = new Date(Date.now() + 1_000).toISOString();
    expect((await admin.request('PATCH', path, { expiresAt })).status).toBe(200);
    await eventually(async () => (await createWidgetStatus(token)) === 403, 'the token has expired');
    expect((await admin.request('PATCH', path, { expiresAt: null })).status).toBe(200);
    await eventually(async () => (await createWidgetStatus(token)) === 201, 'the token is valid again');
  });
});
