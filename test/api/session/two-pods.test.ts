import { randomUUID } from 'node:crypto';
import { PasswordHasher } from '@widget-service/shared/usecases/access/passwords.ts';
import { afterAll, expect, inject, onTestFinished, test } from 'vitest';
import { aUser } from '../../drivers/app/builders.ts';
import { openSharedService } from '../../drivers/app/open-shared.ts';
import { signInThroughPorts } from '../../drivers/app/test-app.ts';
import { openTestService, type TestPod } from '../../drivers/app/test-service.ts';
import { eventually } from '../../drivers/tools/eventually.ts';
import { startStopwatch } from '../../drivers/tools/stopwatch.ts';

/** What one pod makes must be good on another: the pods share no key but what the stores hold. */
const password = 'correct horse battery';
const isCluster = inject('backend') === 'cluster';

const limits = { signInFailuresPerMinute: 1, limiterTimeoutMs: 5_000 };
const service = await openSharedService({ TRUSTED_PROXIES: '127.0.0.1' }, {}, limits);
/** Only the tests of the cluster use it. */
const peer = (await service.openPeerPod?.()) as TestPod;
afterAll(() => (isCluster ? peer.close() : undefined));

let nextAddress = 0;
async function signIn(pod: { readonly url: string }, email: string, sent: string, from?: string) {
  nextAddress += 1;
  const response = await fetch(`${pod.url}/api/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': from ?? `198.51.100.${nextAddress}` },
    body: JSON.stringify({ email, password: sent }),
  });
  const cookies = response.headers.getSetCookie().map((line) => line.split(';')[0] ?? '');
  return { status: response.status, cookies, body: (await response.json()) as Record<string, unknown> };
}

async function createAccount(): Promise<string> {
  const user = aUser({ passwordHash: await new PasswordHasher().hash(password) });
  await service.backend.users.insert(user);
  return user.email;
}

test.runIf(isCluster)('a failed sign-in on one pod counts on the other, for its account and address', async () => {
  const email = await createAccount();
  expect((await signIn(service, email, 'wrong', '203.0.113.9')).status).toBe(403);
  expect((await signIn(peer, email, password, '203.0.113.9')).status).toBe(429);
  expect((await signIn(peer, email, password)).status).toBe(200);
});

test.runIf(isCluster)('a session and its CSRF token that come from one pod are good on the other', async () => {
  const { cookies, body } = await signIn(peer, await createAccount(), password);
  const headers = { cookie: cookies.join('; '), 'x-csrf-token': String(body.csrfToken) };
  const shown = await fetch(`${service.url}/api/v1/session`, { headers });
  expect(await shown.json()).toMatchObject({ csrfToken: body.csrfToken });
  expect((await fetch(`${service.url}/api/v1/session`, { method: 'DELETE', headers })).status).toBe(204);
  expect((await fetch(`${peer.url}/api/v1/session`, { headers })).status).toBe(403);
});

test.runIf(isCluster)('a session that ends on one pod lists no widgets on the other, 2 s later', async () => {
  const { cookies, body } = await signIn(peer, await createAccount(), password);
  const headers = { cookie: cookies.join('; '), 'x-csrf-token': String(body.csrfToken) };
  const list = async (pod: { readonly url: string }) =>
    (await fetch(`${pod.url}/api/v1/widgets?pageSize=1`, { headers })).status;
  expect(await Promise.all([service, peer].map(list))).toEqual([200, 200]);
  const elapsedMs = startStopwatch();
  expect((await fetch(`${service.url}/api/v1/session`, { method: 'DELETE', headers })).status).toBe(204);
  expect(await list(service)).toBe(403);
  await eventually(async () => (await list(peer)) === 403, 'the other pod knows that the session has ended');
  expect(elapsedMs()).toBeLessThan(2_000);
});

test.runIf(isCluster)('failed sign-ins with one e-mail have one HMAC in the audit events of all pods', async () => {
  // Stores of its own: no pod has made the key yet.
  const fresh = await openTestService({ TRUSTED_PROXIES: '127.0.0.1' });
  const second = await fresh.openPeerPod?.();
  if (second === undefined) throw new Error('there is no second pod');
  onTestFinished(async () => {
    await second.close();
    await fresh.close();
  });
  const emails = Array.from({ length: 2 }, () => `${randomUUID()}@example.com`) as [string, string];
  const pods = [fresh, second, fresh, second];
  // At once: several of them find no key.
  await Promise.all([...pods.map((pod) => signIn(pod, emails[0], 'wrong')), signIn(second, emails[1], 'wrong')]);
  const admin = await signInThroughPorts(fresh.backend, 'admin');
  const listHmacs = async () => {
    const response = await fetch(`${second.url}/api/v1/audit-events?pageSize=200`, { headers: admin.headers });
    const { items } = (await response.json()) as { items: { emailHmac: string | null }[] };
    return items.flatMap(({ emailHmac }) => emailHmac ?? []);
  };
  await eventually(async () => (await listHmacs()).length === pods.length + 1, 'the failures are listed');
  const hmacs = await listHmacs();
  const counts = [...new Set(hmacs)].map((hmac) => hmacs.filter((other) => other === hmac).length);
  expect(counts.sort()).toEqual([1, pods.length]);
});
