import { createPasswordHasher } from '@widget-service/shared/usecases/access/passwords.ts';
import { expect, test } from 'vitest';
import type { AuditEventBody } from '../../drivers/app/audit-trail.ts';
import { aUser } from '../../drivers/app/builders.ts';
import { type ConsoleClient, signIn } from '../../drivers/app/console-client.ts';
import { openSharedService } from '../../drivers/app/open-shared.ts';
import { openTestService } from '../../drivers/app/test-service.ts';
import { openStream } from '../../drivers/streams/stream-client.ts';
import { eventually } from '../../drivers/tools/eventually.ts';

const password = 'correct horse battery';
const address = '203.0.113.77';
// The test is the proxy that tells the address of the client.
const service = await openSharedService({ TRUSTED_PROXIES: '127.0.0.1' });

async function insertUser(role: 'admin' | 'viewer') {
  const user = aUser({ role, passwordHash: await createPasswordHasher().hash(password) });
  await service.backend.users.insert(user);
  return user;
}

async function listEvents(admin: ConsoleClient, query = ''): Promise<AuditEventBody[]> {
  const response = await admin.request('GET', `/api/v1/audit-events?pageSize=200&${query}`);
  const { items } = (await response.json()) as { items: AuditEventBody[] };
  return items;
}

const asClient = { 'x-forwarded-for': address };

/** Sends a request of the client, and expects this status. */
async function send(client: ConsoleClient, method: string, path: string, status: number, body?: unknown) {
  const response = await client.request(method, path, body, asClient);
  expect({ path, status: response.status }).toEqual({ path, status });
  return status === 204 ? {} : ((await response.json()) as Record<string, string>);
}

test('the audit trail tells who did what, from where, in order', async () => {
  const [adminUser, viewer] = [await insertUser('admin'), await insertUser('viewer')];
  const failed = await fetch(`${service.url}/api/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...asClient },
    body: JSON.stringify({ email: adminUser.email, password: 'a wrong password' }),
  });
  expect(failed.status).toBe(403);
  const admin = await signIn(service.url, { email: adminUser.email, password });
  await send(admin, 'PATCH', `/api/v1/users/${viewer.id}`, 200, { role: 'editor' });
  const { id = '', token = '' } = await send(admin, 'POST', '/api/v1/subscriptions', 201, { name: 'screen' });
  const rotated = await send(admin, 'POST', `/api/v1/subscriptions/${id}/rotate`, 200, { overlapSeconds: 0 });
  const stream = await openStream(rotated.url ?? '', { headers: asClient });
  await stream.until(() => stream.events.length > 0, 'the stream is open');
  await send(admin, 'DELETE', `/api/v1/subscriptions/${id}`, 204);
  await stream.ended;
  expect(stream.events.at(-1)).toMatchObject({ event: 'stream.closing', data: '{"reason":"revoked"}' });

  await eventually(async () => (await listEvents(admin, `targetId=${id}`)).length === 4, 'the end is listed');
  const about = new Set([adminUser.id, viewer.id, id]);
  const events = (await listEvents(admin)).filter(({ target }) => about.has(target?.id ?? '')).reverse();
  const actor = { kind: 'user', id: adminUser.id };
  const [itself, subscription] = [
    { kind: 'user', id: adminUser.id },
    { kind: 'subscription', id },
  ];
  const done = { outcome: 'succeeded', code: null, actor, clientAddress: address, before: null, after: null };
  expect(events).toMatchObject([
    {
      action: 'session.failed',
      outcome: 'refused',
      code: 'invalid-credentials',
      actor: { kind: 'anonymous', id: null },
      target: itself,
      clientAddress: address,
      emailHmac: expect.stringMatching(/^[0-9a-f]{64}$/),
    },
    // `signIn` sends no forwarding header.
    {
      ...done,
      action: 'session.created',
      target: itself,
      clientAddress: '127.0.0.1',
      after: { sessionId: expect.any(String) },
    },
    {
      ...done,
      action: 'user.changed',
      target: { kind: 'user', id: viewer.id },
      before: { role: 'viewer' },
      after: { role: 'editor' },
    },
    { ...done, action: 'subscription.created', target: subscription, after: { name: 'screen' } },
    { ...done, action: 'subscription.token-rotated', target: subscription, after: { previousExpiresAt: null } },
    { ...done, action: 'subscription.revoked', target: subscription, before: { name: 'screen' } },
    {
      ...done,
      action: 'stream.ended',
      actor: { kind: 'system', id: null },
      target: subscription,
      after: { reason: 'revoked' },
    },
  ]);
  expect(new Set(events.map(({ requestId }) => requestId)).size).toBe(events.length);
  const secrets = [password, 'a wrong password', adminUser.email, token, rotated.token ?? ''];
  for (const secret of secrets) expect(JSON.stringify(events)).not.toContain(secret);
});

test('the end of a personal stream by a revocation names its user; other ends are not listed', async () => {
  const [adminUser, viewer] = [await insertUser('admin'), await insertUser('viewer')];
  const admin = await signIn(service.url, { email: adminUser.email, password });
  const client = await signIn(service.url, { email: viewer.email, password });
  const open = async () => {
    const { cookie } = client;
    const stream = await openStream(`${service.url}/api/v1/session/stream`, { headers: { ...asClient, cookie } });
    await stream.until(() => stream.events.length > 0, 'the stream is open');
    return stream;
  };
  const [left, revoked] = [await open(), await open()];
  left.close();
  await left.ended;
  await send(client, 'DELETE', '/api/v1/session', 204);
  await revoked.ended;
  const query = `targetId=${viewer.id}&action=stream.ended`;
  await eventually(async () => (await listEvents(admin, query)).length > 0, 'the end is listed');
  expect(await listEvents(admin, query)).toMatchObject([
    { actor: { kind: 'system', id: null }, clientAddress: address, after: { reason: 'revoked' }, unlisted: 0 },
  ]);
});

test('the first admin was created by the system', async () => {
  const fresh = await openTestService({ ADMIN_EMAIL: 'first@example.com', ADMIN_PASSWORD: password });
  try {
    const admin = await signIn(fresh.url, { email: 'first@example.com', password });
    expect(await listEvents(admin, 'action=user.created')).toMatchObject([
      {
        actor: { kind: 'system', id: null },
        operation: null,
        requestId: null,
        clientAddress: null,
        after: { email: 'first@example.com', role: 'admin' },
      },
    ]);
  } finally {
    await fresh.close();
  }
});
