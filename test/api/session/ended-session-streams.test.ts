import { sha256Hex } from '@widget-service/shared/domain/token.ts';
import { PasswordHasher } from '@widget-service/shared/usecases/access/passwords.ts';
import { afterAll, expect, test } from 'vitest';
import { expectEndedInTime } from '../../checkers/nothing-outside-the-entitlement.ts';
import { openSharedService } from '../../drivers/app/open-shared.ts';
import { signInThroughPorts, type TestCaller } from '../../drivers/app/test-app.ts';
import { openStream, type StreamClient } from '../../drivers/streams/stream-client.ts';

const service = await openSharedService();
const peer = (await service.openPeerPod?.()) ?? null;
/** Every pod of the service: two on the cluster backend. */
const podUrls: string[] = [service.url, ...(peer === null ? [] : [peer.url])];
afterAll(() => peer?.close());

const send = (method: string, path: string, { headers }: TestCaller, podUrl = service.url) =>
  fetch(`${podUrl}${path}`, { method, headers });

/** Opens a personal stream of the caller on every pod. */
async function openOnEveryPod(caller: TestCaller): Promise<StreamClient[]> {
  const headers = { cookie: caller.cookie };
  const streams = await Promise.all(
    podUrls.map((podUrl) => openStream(`${podUrl}/api/v1/session/stream`, { headers })),
  );
  for (const stream of streams) await stream.until(() => stream.events.length > 0, 'the first event');
  return streams;
}

async function expectRevokedInTime(streams: readonly StreamClient[], sinceMs: number): Promise<void> {
  await Promise.all(streams.map(({ ended }) => ended));
  const endedAtMs = Date.now();
  for (const stream of streams) expectEndedInTime(stream, 'revoked', { sinceMs, endedAtMs });
}

async function expectSignedOut(caller: TestCaller): Promise<void> {
  const statuses = podUrls.map(async (podUrl) => (await send('GET', '/api/v1/session', caller, podUrl)).status);
  expect(await Promise.all(statuses)).toEqual(podUrls.map(() => 403));
}

test('a user who ends one session ends its streams on every pod within 2 s, and those of no other session', async () => {
  const [user, other] = [
    await signInThroughPorts(service.backend, 'viewer'),
    await signInThroughPorts(service.backend, 'viewer'),
  ];
  const [streams, otherStreams] = [await openOnEveryPod(user), await openOnEveryPod(other)];
  const { items } = (await (await send('GET', '/api/v1/sessions', user)).json()) as { items: { id: string }[] };
  const response = await send('DELETE', `/api/v1/sessions/${items[0]?.id}`, user);
  const sinceMs = Date.now();
  expect(response.status).toBe(204);
  await expectSignedOut(user);
  await expectRevokedInTime(streams, sinceMs);
  expect(otherStreams.map(({ events }) => events.at(-1)?.event)).not.toContain('stream.closing');
  for (const stream of otherStreams) stream.close();
});

test("an admin who ends a user's sessions ends their streams on every pod within 2 s, and keeps the user enabled", async () => {
  const admin = await signInThroughPorts(service.backend, 'admin');
  const user = await signInThroughPorts(service.backend, 'viewer');
  const streams = await openOnEveryPod(user);
  const response = await send('DELETE', `/api/v1/users/${user.userId}/sessions`, admin, podUrls.at(-1));
  const sinceMs = Date.now();
  expect(response.status).toBe(204);
  await expectSignedOut(user);
  await expectRevokedInTime(streams, sinceMs);
  expect(await service.backend.sessions.get(sha256Hex(user.sessionId))).toBeNull();
  expect(await service.backend.users.get(user.userId)).toMatchObject({ disabled: false });
});

test('a user who changes the password ends the streams of all sessions before on every pod within 2 s', async () => {
  const user = await signInThroughPorts(service.backend, 'viewer');
  const currentPassword = 'correct horse battery';
  const hash = await new PasswordHasher().hash(currentPassword);
  await service.backend.users.change(user.userId, () => ({ passwordHash: hash }));
  const streams = await openOnEveryPod(user);
  const response = await fetch(`${service.url}/api/v1/session/password`, {
    method: 'PUT',
    headers: { ...user.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ currentPassword, newPassword: 'incorrect donkey charger' }),
  });
  const sinceMs = Date.now();
  expect(response.status).toBe(200);
  await expectSignedOut(user);
  await expectRevokedInTime(streams, sinceMs);
});
