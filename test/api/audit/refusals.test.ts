import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { listAuditEvents, listAuditEventsOnce } from '../../drivers/app/audit-trail.ts';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { issueProvisionToken } from '../../drivers/app/issue-grants.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import { createPasswordUser } from '../../drivers/app/password-user.ts';
import { eventually } from '../../drivers/tools/eventually.ts';

const service = await openSharedApp({ limits: { signInFailuresPerMinute: 3 } });
const admin = await service.signedIn('admin');

/** Every test has an address of its own: the limit of sign-ins and the samples count by address. */
let addresses = 0;
function createAddress(): string {
  addresses += 1;
  return `203.0.113.${addresses}`;
}

function signIn(email: string, remoteAddress: string, password = 'wrong password') {
  return service.inject({ method: 'POST', url: '/api/v1/session', remoteAddress, payload: { email, password } });
}

/** The events of failed sign-ins from this address: no filter selects by address. */
async function listFailedSignIns(remoteAddress: string) {
  const events = await listAuditEvents(service, admin, 'action=session.failed&pageSize=200');
  return events.filter(({ clientAddress }) => clientAddress === remoteAddress);
}

describe('the audit trail of failed sign-ins', () => {
  test('names the account, the address and the HMAC of the e-mail, and neither e-mail nor password', async () => {
    const remoteAddress = createAddress();
    const { user, signIn: signInAs } = await createPasswordUser(service, 'correct horse battery', { remoteAddress });
    const response = await signInAs('wrong password');
    expectProblem(response, { status: 403, code: 'invalid-credentials' });
    const [event] = await listAuditEventsOnce(service, admin, `targetId=${user.id}`);
    expect(event).toMatchObject({
      action: 'session.failed',
      operation: 'example.session.create',
      outcome: 'refused',
      code: 'invalid-credentials',
      actor: { kind: 'anonymous', id: null },
      actorName: null,
      target: { kind: 'user', id: user.id },
      targetName: null,
      clientAddress: remoteAddress,
      emailHmac: expect.stringMatching(/^[0-9a-f]{64}$/),
      before: null,
      after: null,
      requestId: response.json().requestId,
      unlisted: 0,
    });
    for (const secret of [user.email, 'wrong password']) expect(JSON.stringify(event)).not.toContain(secret);
  });

  test('has one HMAC for one unknown e-mail in any case, another for another, and no target', async () => {
    const email = `${randomUUID()}@example.com`;
    const hmacs: unknown[] = [];
    for (const sent of [email, email.toUpperCase(), `x${email}`]) {
      const remoteAddress = createAddress();
      await signIn(sent, remoteAddress);
      await eventually(async () => (await listFailedSignIns(remoteAddress)).length === 1, 'the sign-in is listed');
      const [event] = await listFailedSignIns(remoteAddress);
      expect(event).toMatchObject({ target: null, unlisted: 0 });
      hmacs.push(event?.emailHmac);
    }
    expect(hmacs[1]).toBe(hmacs[0]);
    expect(hmacs[2]).not.toBe(hmacs[0]);
  });

  test('lists one of many from one address at first, and one when the limit refuses further ones', async () => {
    const remoteAddress = createAddress();
    for (let index = 0; index < 40; index += 1) await signIn(`${randomUUID()}@example.com`, remoteAddress);
    await eventually(async () => (await listFailedSignIns(remoteAddress)).length === 2, 'two events are listed');
    const events = await listFailedSignIns(remoteAddress);
    expect(events.map(({ code }) => code).sort()).toEqual(['invalid-credentials', 'rate-limited']);
  });

  test('has a wrong current password as a refused change of the password', async () => {
    const remoteAddress = createAddress();
    const { user, startSession } = await createPasswordUser(service, 'correct horse battery', { remoteAddress });
    const headers = await startSession();
    const payload = { currentPassword: 'wrong password', newPassword: 'staple battery horse' };
    const url = '/api/v1/session/password';
    const response = await service.inject({ method: 'PUT', url, headers, remoteAddress, payload });
    expectProblem(response, { status: 403, code: 'invalid-credentials' });
    const [event] = await listAuditEventsOnce(service, admin, `action=password.changed&actorId=${user.id}`);
    expect(event).toMatchObject({ outcome: 'refused', code: 'invalid-credentials', target: { id: user.id } });
  });
});

describe('the audit trail of refused requests', () => {
  test('names the user who lacks a permission, what they tried, and on what', async () => {
    const viewer = await service.signedIn('viewer');
    const remoteAddress = createAddress();
    const targetId = randomUUID();
    const url = `/api/v1/users/${targetId}`;
    const payload = { role: 'admin' };
    const response = await service.inject({ method: 'PATCH', url, headers: viewer.headers, remoteAddress, payload });
    expectProblem(response, { status: 403, code: 'permission-denied' });
    const [event] = await listAuditEventsOnce(service, admin, `actorId=${viewer.userId}`);
    expect(event).toMatchObject({
      action: 'access.refused',
      operation: 'example.users.update',
      outcome: 'refused',
      code: 'permission-denied',
      actor: { kind: 'user', id: viewer.userId },
      target: { kind: 'user', id: targetId },
      clientAddress: remoteAddress,
      requestId: response.json().requestId,
    });
  });

  test('has refused reads', async () => {
    const viewer = await service.signedIn('viewer');
    await viewer.get('/api/v1/integrations');
    const [event] = await listAuditEventsOnce(service, admin, `actorId=${viewer.userId}`);
    expect(event).toMatchObject({ action: 'access.refused', operation: 'example.integrations.list', target: null });
  });

  test('names a provision token that lacks a permission', async () => {
    const { grant, token } = await issueProvisionToken(service.backend, { permissions: [] });
    const headers = { authorization: `Bearer ${token}` };
    await service.post('/api/v1/widgets', { name: 'lamp' }, headers);
    const [event] = await listAuditEventsOnce(service, admin, `actorId=${grant.id}`);
    const actor = { kind: 'provision-token', id: grant.id };
    expect(event).toMatchObject({ action: 'access.refused', actor, actorName: grant.name, targetName: null });
  });

  test('has requests without a CSRF token, and own passwords that an admin tries to set', async () => {
    const other = await service.signedIn('admin');
    await service.delete('/api/v1/sessions', { cookie: other.cookie });
    const url = `/api/v1/users/${other.userId}`;
    const payload = { password: 'correct horse battery' };
    await other.patch(url, payload);
    const events = await listAuditEventsOnce(service, admin, `actorId=${other.userId}`, 2);
    expect(events.map(({ action, code, operation }) => [action, code, operation]).sort()).toEqual([
      ['access.refused', 'csrf-token-invalid', 'example.sessions.delete'],
      ['access.refused', 'permission-denied', 'example.users.update'],
    ]);
  });

  test('has changes that their handler refused, and none that are invalid or not authenticated', async () => {
    const other = await service.signedIn('admin');
    const { headers } = other;
    const email = `${randomUUID()}@example.com`;
    const payload = { email, password: 'correct horse battery' };
    await service.post('/api/v1/users', payload, headers);
    await service.post('/api/v1/users', payload, headers);
    await service.post('/api/v1/users', { email }, headers);
    await service.post('/api/v1/users', payload);
    const unknownId = randomUUID();
    await service.delete(`/api/v1/subscriptions/${unknownId}`, headers);
    const events = await listAuditEventsOnce(service, admin, `actorId=${other.userId}`, 3);
    expect(events.map(({ action, code }) => [action, code]).sort()).toEqual([
      ['subscription.revoked', 'not-found'],
      ['user.created', null],
      ['user.created', 'email-in-use'],
    ]);
    expect(events.find(({ code }) => code === 'not-found')?.target).toEqual({ kind: 'subscription', id: unknownId });
  });

  test('names the subscription whose stream an admin wanted to end', async () => {
    const { id } = (await admin.post('/api/v1/subscriptions', { name: 'Control room' })).json();
    await admin.delete(`/api/v1/subscriptions/${id}/connections/${randomUUID()}`);
    const [event] = await listAuditEventsOnce(service, admin, `targetId=${id}&action=stream.ended`);
    expect(event).toMatchObject({ outcome: 'refused', targetName: 'Control room' });
  });

  test('lists one of many equal ones', async () => {
    const viewer = await service.signedIn('viewer');
    for (let index = 0; index < 30; index += 1) {
      await viewer.get('/api/v1/users');
    }
    expect(await listAuditEventsOnce(service, admin, `actorId=${viewer.userId}`)).toHaveLength(1);
  });

  test('stores nothing of a path that names no resource', async () => {
    const viewer = await service.signedIn('viewer');
    const secret = 'wst_not-an-id-but-a-secret';
    await viewer.delete(`/api/v1/subscriptions/${secret}`);
    const events = await listAuditEventsOnce(service, admin, `actorId=${viewer.userId}`);
    expect(events).toMatchObject([{ target: null, operation: 'example.subscriptions.delete' }]);
    expect(JSON.stringify(events)).not.toContain(secret);
  });
});
