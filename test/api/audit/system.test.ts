import { PasswordHasher } from '@widget-service/shared/usecases/access/passwords.ts';
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
  const user = aUser({ role, passwordHash: await new PasswordHasher().hash(password) });
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

test('the end of a stream by a revocation names its user or subscription; other ends are not listed', async () => {
  const [adminUser, viewer] = [await insertUser('admin'), await insertUser('viewer')];
  const admin = await signIn(service.url, { email: adminUser.email, password });
  const client = await signIn(service.url, { email: viewer.email, password });
  const open = async (url: string) => {
    const stream = await openStream(url, { headers: { ...asClient, cookie: client.cookie } });
    await stream.until(() => stream.events.length > 0, 'the stream is open');
    return stream;
  };
  const { id = '', url = '' } = await send(admin, 'POST', '/api/v1/subscriptions', 201, { name: 'screen' });
  const personal = `${service.url}/api/v1/session/stream`;
  const [left, revoked, screen] = [await open(personal), await open(personal), await open(url)];
  left.close();
  await left.ended;
  await send(client, 'DELETE', '/api/v1/session', 204);
  await send(admin, 'DELETE', `/api/v1/subscriptions/${id}`, 204);
  await Promise.all([revoked.ended, screen.ended]);
  const ended = { actor: { kind: 'system', id: null }, clientAddress: address, after: { reason: 'revoked' } };
  const targets = [{ kind: 'user', id: viewer.id } as const, { kind: 'subscription', id } as const];
  for (const target of targets) {
    const query = `targetId=${target.id}&action=stream.ended`;
    await eventually(async () => (await listEvents(admin, query)).length > 0, 'the end is listed');
    expect(await listEvents(admin, query)).toMatchObject([{ ...ended, target, unlisted: 0 }]);
  }
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
