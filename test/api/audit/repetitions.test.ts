import { describe, expect, test } from 'vitest';
import { listAuditEvents } from '../../drivers/app/audit-trail.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import { changePassword, createPasswordUser, toSessionHeaders } from '../../drivers/app/password-user.ts';
import { openTestApp, type TestApp } from '../../drivers/app/test-app.ts';

const service = await openSharedApp();
const admin = await service.signedIn('admin');
const password = 'correct horse battery';
const list = (userId: string, action: string) =>
  listAuditEvents(service, admin, `actorId=${userId}&action=${action}&pageSize=200`);

/** Runs `send` on a pod of its own. Returns the listed events before and after the pod has stopped. */
async function listAround(action: string, send: (pod: TestApp) => Promise<string>) {
  const pod = await openTestApp({ sharedBackend: service.backend });
  try {
    const userId = await send(pod);
    const atOnce = await list(userId, action);
    await pod.close();
    return { atOnce, later: await list(userId, action) };
  } finally {
    await pod.close();
  }
}

describe('what users repeat that concerns nobody else', () => {
  test('sign-ins: the first from each address is listed at once', async () => {
    const { atOnce, later } = await listAround('session.created', async (pod) => {
      const { user, signIn } = await createPasswordUser(pod, password);
      const payload = { email: user.email, password };
      for (let index = 0; index < 4; index += 1) expect((await signIn(password)).statusCode).toBe(200);
      await pod.inject({ method: 'POST', url: '/api/v1/session', remoteAddress: '198.51.100.9', payload });
      return user.id;
    });
    expect(atOnce.map(({ clientAddress, unlisted }) => [clientAddress, unlisted])).toEqual([
      ['198.51.100.9', 0],
      ['127.0.0.1', 0],
    ]);
    expect(later.map(({ unlisted }) => unlisted).sort()).toEqual([0, 0, 2]);
  });

  test.each([
    ['DELETE', '/api/v1/session'],
    ['DELETE', '/api/v1/sessions'],
  ] as const)('%s %s', async (method, url) => {
    const { atOnce, later } = await listAround('session.ended', async (pod) => {
      const { user, startSession } = await createPasswordUser(pod, password);
      for (let index = 0; index < 4; index += 1) await pod.inject({ method, url, headers: await startSession() });
      return user.id;
    });
    expect(atOnce).toMatchObject([{ unlisted: 0 }]);
    expect(later.map(({ unlisted }) => unlisted)).toEqual([2, 0]);
  });

  test('changes of the own password', async () => {
    const { atOnce, later } = await listAround('password.changed', async (pod) => {
      const { user, startSession } = await createPasswordUser(pod, password);
      let headers = await startSession();
      const passwords = [password, 'a staple in the battery'];
      for (let index = 0; index < 3; index += 1) {
        const [currentPassword, newPassword] = passwords;
        headers = toSessionHeaders(await changePassword(pod, headers, { currentPassword, newPassword }));
        passwords.reverse();
      }
      return user.id;
    });
    expect(atOnce).toMatchObject([{ unlisted: 0 }]);
    expect(later.map(({ unlisted }) => unlisted)).toEqual([1, 0]);
  });
});

test('what an admin does to another user is listed each time', async () => {
  const { userId } = await service.signedIn('viewer');
  for (const name of ['Kim', 'Kim Lee', 'Lee']) {
    const url = `/api/v1/users/${userId}`;
    await admin.patch(url, { name });
  }
  const events = await listAuditEvents(service, admin, `targetId=${userId}&action=user.changed`);
  expect(events.map(({ after }) => after)).toEqual([{ name: 'Lee' }, { name: 'Kim Lee' }, { name: 'Kim' }]);
});
