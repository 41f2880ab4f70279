import { describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import { createPasswordUser } from '../../drivers/app/password-user.ts';
import { github, makeSourceClient } from '../../drivers/app/source-client.ts';
import type { TestRoute } from '../../drivers/app/test-app.ts';

const setting = 100_000;
const service = await openSharedApp({ BODY_LIMIT_BYTES: setting });
const admin = await service.signedIn('admin');
const { token } = await service.issueHookToken();

const nameRoute = ({ method, url }: TestRoute) => `${method} ${url.replace('/api/v1', '')}`;
const routes = service.routes.filter(({ method }) => !['GET', 'HEAD', 'OPTIONS'].includes(method));

/** Every other route takes at most 16 KiB. */
const limits: Readonly<Record<string, number>> = {
  'POST /session': 4_096,
  'PUT /session/password': 4_096,
  'POST /events/hooks/:token': setting,
  'POST /widgets': setting,
  'POST /subscriptions': setting,
  'PATCH /subscriptions/:id': setting,
  'POST /integrations': setting,
  'POST /integrations/:id/rotate': setting,
  'PUT /integrations/:id/source/mapping': setting,
  'PUT /integrations/:id/source/secrets': setting,
  'POST /integrations/preview': 3 * setting,
  'POST /integrations/:id/preview': 3 * setting,
};

function send(route: TestRoute, bytes: number) {
  const url = route.url.replace(':token', token).replaceAll(/:\w+/g, '0197a0b0-0000-7000-8000-00000000abcd');
  const headers = { ...admin.headers, 'content-type': 'application/json' };
  // Not JSON, so that nothing is done.
  return service.inject({ method: route.method as 'POST', url, headers, payload: '!'.repeat(bytes) });
}

test.each(routes.map((route) => [nameRoute(route), route] as const))(
  '%s takes no body above its limit',
  async (name, route) => {
    const limit = limits[name] ?? 16_384;
    expectProblem(await send(route, limit), { status: 400, code: 'invalid-json' });
    const response = await send(route, limit + 1);
    expectProblem(response, { status: 400, code: 'payload-too-large' });
    const whose = route.policy === 'hook-token' ? 'hooks (BODY_LIMIT_BYTES)' : 'this request';
    expect(response.json().detail).toBe(`The body is larger than ${limit} bytes, the limit of ${whose}.`);
  },
);

test('a lower setting limits hooks alone', async () => {
  const small = await openSharedApp({ BODY_LIMIT_BYTES: 1_024, sharedBackend: service.backend });
  const post = (url: string, headers: Readonly<Record<string, string>>, payload: object) =>
    small.post(`/api/v1${url}`, payload, headers);
  const labels = Array.from({ length: 32 }, (_, index) => `${index}`.padEnd(64, 'x'));
  expect((await post('/widgets', admin.headers, { name: 'pump', labels })).statusCode).toBe(201);
  const hook = { kind: 'updated', occurredAt: '2026-01-01T00:00:00Z', payload: { labels } };
  expectProblem(await post(`/events/hooks/${token}`, {}, hook), { status: 400, code: 'payload-too-large' });
});

describe('the largest body that the schema allows fits, with every character escaped', () => {
  /** One character: 4 bytes in UTF-8, 12 as two escapes. */
  const character = '😀';
  const text = (length: number, start = '') => start + character.repeat(length - start.length);
  const texts = (count: number, length: number) =>
    Array.from({ length: count }, (_, index) => text(length, `${index}`));
  const email = `a@${`${'b'.repeat(62)}.`.repeat(4)}`.slice(0, -1);
  const toEscaped = (body: object) =>
    JSON.stringify(body).replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const filter = {
    types: ['widget.created', 'widget.updated', 'widget.retired'],
    states: ['active', 'retired'],
    widgetIds: Array.from({ length: 100 }, () => crypto.randomUUID()),
    labels: texts(100, 64),
  };
  /** Not easy to guess. */
  const toPassword = (step: number) =>
    Array.from({ length: 128 }, (_, index) => String.fromCodePoint(0x1f600 + ((index * index * step) % 71))).join('');
  const password = toPassword(1);

  async function write(
    method: 'POST' | 'PUT' | 'PATCH',
    path: string,
    body: object,
    {
      headers = admin.headers,
      toJson = toEscaped,
    }: { headers?: Readonly<Record<string, string>>; toJson?: (body: object) => string } = {},
  ) {
    const response = await service.inject({
      method,
      url: `/api/v1${path}`,
      headers: { ...headers, 'content-type': 'application/json' },
      payload: toJson(body),
    });
    expect(response.statusCode, `${method} ${path}: ${response.body}`).toBeLessThan(300);
    return response.statusCode === 204 ? null : response.json();
  }

  test('of a widget', async () => {
    const owner = { userId: crypto.randomUUID(), email, notify: true };
    await write('POST', '/widgets', { name: text(200), state: 'retired', labels: texts(32, 64), owner });
  });

  test('of a user, a change of one, a sign-in and a new password', async () => {
    const { id } = await write('POST', '/users', { email, password, name: text(200), role: 'viewer' });
    await write('PATCH', `/users/${id}`, { password, name: text(200, '2'), role: 'editor', disabled: false });
    await write('POST', '/session', { email, password }, { headers: {} });
    const headers = await (await createPasswordUser(service, password)).startSession();
    const change = { currentPassword: password, newPassword: toPassword(3) };
    await write('PUT', '/session/password', change, { headers });
  });

  test('of a subscription and a change of one, in UTF-8', async () => {
    const toJson = JSON.stringify;
    const { id } = await write('POST', '/subscriptions', { name: text(200), filter }, { toJson });
    await write('PATCH', `/subscriptions/${id}`, { name: text(200), filter }, { toJson });
  });

  test('of an integration with a source, new secrets, a rotation and a redrive', async () => {
    const { createGitHub } = makeSourceClient(service, admin.headers);
    const { id } = await createGitHub();
    // The length of a secret is that of its UTF-16.
    const secrets = Array.from({ length: 4 }, () => text(512));
    await write('POST', '/integrations', { name: text(200), source: { ...github, secrets } });
    await write('PUT', `/integrations/${id}/source/secrets`, { secrets });
    await write('POST', `/integrations/${id}/rotate`, { secrets, overlapSeconds: 86_400 });
    await write('PATCH', `/integrations/${id}`, { name: text(200) });
    await write('POST', `/deliveries/redrive`, { eventIds: filter.widgetIds });
  });
});
