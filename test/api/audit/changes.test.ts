import { randomUUID } from 'node:crypto';
import { sha256Hex } from '@widget-service/shared/domain/token.ts';
import { auditActions } from '@widget-service/shared/entities/audit-event.ts';
import { describe, expect, inject, test } from 'vitest';
import { type AuditEventBody, listAuditEvents } from '../../drivers/app/audit-trail.ts';
import { aDelivery, anAuditEvent, aQuarantinedText, aUser } from '../../drivers/app/builders.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import { createPasswordUser, toSessionHeaders } from '../../drivers/app/password-user.ts';
import type { TestResponse } from '../../drivers/app/test-app.ts';

const remoteAddress = '198.51.100.7';
const seenActions = new Set<string>();
const service = await openSharedApp();
const admin = await service.signedIn('admin');
const actorName = 'Ada Admin';
await service.backend.users.change(admin.userId, () => ({ name: actorName }));

type Method = 'POST' | 'PUT' | 'PATCH' | 'DELETE';

function send(
  method: Method,
  url: string,
  payload?: object,
  headers: Readonly<Record<string, string>> = admin.headers,
) {
  const body = payload === undefined ? {} : { payload };
  return service.inject({ method, url, headers, remoteAddress, ...body });
}

/** Returns the newest event about a resource. The event of a change is stored before the response. */
async function findEvent(targetId: string, response: TestResponse): Promise<AuditEventBody> {
  const [event] = await listAuditEvents(service, admin, `targetId=${targetId}`);
  expect(event).toMatchObject({ clientAddress: remoteAddress, outcome: 'succeeded', code: null, unlisted: 0 });
  expect(event?.requestId).toBe(response.headers['x-request-id']);
  expect(Math.abs(Date.now() - Date.parse(event?.occurredAt ?? ''))).toBeLessThan(60_000);
  seenActions.add(event?.action ?? '');
  return event as AuditEventBody;
}

const readDigest = ({ headers }: TestResponse) => {
  const [cookie = ''] = [headers['set-cookie']].flat().map(String);
  return sha256Hex(/^service_console=([^;]+)/.exec(cookie)?.[1] ?? '');
};
const byAdmin = () => ({ actor: { kind: 'user', id: admin.userId }, actorName });

describe.each([
  [
    'subscriptions',
    'subscription',
    { filter: { types: ['widget.created'], widgetIds: null, states: null, labels: null } },
  ],
  ['integrations', 'integration', { rate: 7 }],
  ['provision-tokens', 'provision-token', {}],
] as const)('the audit trail of %s', (path, kind, members) => {
  test('has who created, changed, rotated and revoked it, with the changed members and no token', async () => {
    const created = await send('POST', `/api/v1/${path}`, { name: 'first', ...members });
    const { id, token } = created.json();
    const target = { kind, id };
    const event = await findEvent(id, created);
    expect(event).toMatchObject({
      ...byAdmin(),
      target,
      action: `${kind}.created`,
      before: null,
      after: { name: 'first', expiresAt: null, ...members },
    });
    // When it was used is no change that somebody made.
    expect(Object.keys(event.after ?? {}).filter((name) => name.startsWith('last'))).toEqual([]);

    const changed = await send('PATCH', `/api/v1/${path}/${id}`, { name: 'second' });
    expect(await findEvent(id, changed)).toMatchObject({
      ...byAdmin(),
      target,
      action: `${kind}.changed`,
      before: { name: 'first' },
      after: { name: 'second' },
    });

    const rotated = await send('POST', `/api/v1/${path}/${id}/rotate`, { overlapSeconds: 60 });
    expect(await findEvent(id, rotated)).toMatchObject({
      ...byAdmin(),
      target,
      action: `${kind}.token-rotated`,
      after: { previousExpiresAt: rotated.json().previousExpiresAt },
    });

    const { previousExpiresAt } = rotated.json();
    const ended = await send('DELETE', `/api/v1/${path}/${id}/previous-token`);
    expect(await findEvent(id, ended)).toMatchObject({
      ...byAdmin(),
      target,
      action: `${kind}.changed`,
      before: { previousExpiresAt },
      after: { previousExpiresAt: null },
    });
    // It changes nothing.
    await send('DELETE', `/api/v1/${path}/${id}/previous-token`);

    const revoked = await send('DELETE', `/api/v1/${path}/${id}`);
    expect(await findEvent(id, revoked)).toMatchObject({
      ...byAdmin(),
      target,
      action: `${kind}.revoked`,
      before: { name: 'second', ...members },
      after: null,
    });

    const all = await listAuditEvents(service, admin, `targetId=${id}`);
    // As it was called then.
    expect(all.map(({ targetName }) => targetName)).toEqual(['second', 'second', 'second', 'second', 'first']);
    for (const secret of [token, rotated.json().token]) expect(JSON.stringify(all)).not.toContain(secret);
  });

  test('shows no members for a change that changes nothing', async () => {
    const { id } = (await send('POST', `/api/v1/${path}`, { name: 'same' })).json();
    const changed = await send('PATCH', `/api/v1/${path}/${id}`, { name: 'same' });
    expect(await findEvent(id, changed)).toMatchObject({ action: `${kind}.changed`, before: null, after: null });
  });
});

describe('the audit trail of users and sessions', () => {
  test('has who created and changed a user, and never the password', async () => {
    const password = `a password ${randomUUID()}`;
    const email = `${randomUUID()}@example.com`;
    const created = await send('POST', '/api/v1/users', { email, password });
    const { id } = created.json();
    const target = { kind: 'user', id };
    expect(await findEvent(id, created)).toMatchObject({
      ...byAdmin(),
      target,
      targetName: email,
      action: 'user.created',
      before: null,
      after: { email, role: 'viewer', disabled: false },
    });
    const changes: readonly (readonly [object, object, object])[] = [
      [{ role: 'editor' }, { role: 'viewer' }, { role: 'editor' }],
      [{ disabled: true }, { disabled: false }, { disabled: true }],
      [{ name: 'Kim Doe' }, { name: null }, { name: 'Kim Doe' }],
      [
        { password, disabled: false },
        { disabled: true, passwordSet: null },
        { disabled: false, passwordSet: true },
      ],
    ];
    let targetName = email;
    for (const [body, before, after] of changes) {
      const changed = await send('PATCH', `/api/v1/users/${id}`, body);
      const event = await findEvent(id, changed);
      targetName = changed.json().name ?? email;
      expect(event).toMatchObject({ ...byAdmin(), target, targetName, action: 'user.changed' });
      expect(event).toMatchObject({ before, after });
      expect(JSON.stringify(event)).not.toContain(password);
    }
    const ended = await send('DELETE', `/api/v1/users/${id}/sessions`);
    expect(await findEvent(id, ended)).toMatchObject({ ...byAdmin(), targetName: 'Kim Doe' });
  });

  test('has sign-in, password change and sign-out of a user, and no e-mail', async () => {
    const { user, signIn } = await createPasswordUser(service, 'correct horse battery', { remoteAddress });
    const self = { kind: 'user', id: user.id };
    const byUser = { actor: self, actorName: user.name, target: self, targetName: user.name };
    const signedIn = await signIn('correct horse battery');
    expect(await findEvent(user.id, signedIn)).toMatchObject({ ...byUser, action: 'session.created', emailHmac: null });
    const { id: sessionId } = (await service.backend.sessions.get(readDigest(signedIn))) ?? {};
    const [cookie = ''] = [signedIn.headers['set-cookie']].flat().map((text) => String(text).split(';')[0]);
    const headers = { cookie, 'x-csrf-token': signedIn.json().csrfToken };

    const passwords = { currentPassword: 'correct horse battery', newPassword: 'staple battery horse' };
    const changed = await send('PUT', '/api/v1/session/password', passwords, headers);
    expect(changed.statusCode).toBe(200);
    const { id: newSessionId } = (await service.backend.sessions.get(readDigest(changed))) ?? {};
    expect(await findEvent(user.id, changed)).toMatchObject({
      ...byUser,
      action: 'password.changed',
      before: { sessionId },
      after: { sessionId: newSessionId },
    });

    const ended = await send('DELETE', '/api/v1/session', undefined, toSessionHeaders(changed));
    expect(await findEvent(user.id, ended)).toMatchObject({
      ...byUser,
      action: 'session.ended',
      before: { sessionId: newSessionId },
      after: null,
    });
    expect(JSON.stringify(await listAuditEvents(service, admin, `targetId=${user.id}`))).not.toContain(user.email);
  });

  test('has an admin who ends one or all sessions of a user', async () => {
    const viewer = await service.signedIn('viewer');
    const target = { kind: 'user', id: viewer.userId };
    const url = `/api/v1/users/${viewer.userId}`;
    const { id: sessionId } = (await service.backend.sessions.get(sha256Hex(viewer.sessionId))) ?? {};
    const ended = await send('DELETE', `${url}/sessions/${sessionId}`);
    expect(await findEvent(viewer.userId, ended)).toMatchObject({
      ...byAdmin(),
      target,
      targetName: expect.any(String),
      action: 'session.ended',
      before: { sessionId },
    });
    const allEnded = await send('DELETE', `${url}/sessions`);
    expect(await findEvent(viewer.userId, allEnded)).toMatchObject({ ...byAdmin(), after: { sessions: 'all-ended' } });
  });

  test('has a user who ends one of their sessions, or all', async () => {
    const viewer = await service.signedIn('viewer');
    const { id: sessionId } = (await service.backend.sessions.get(sha256Hex(viewer.sessionId))) ?? {};
    const ended = await send('DELETE', `/api/v1/sessions/${sessionId}`, undefined, viewer.headers);
    expect(await findEvent(viewer.userId, ended)).toMatchObject({
      actor: { kind: 'user', id: viewer.userId },
      action: 'session.ended',
      before: { sessionId },
    });
    const other = await service.signedIn('viewer');
    const allEnded = await send('DELETE', '/api/v1/sessions', undefined, other.headers);
    expect(await findEvent(other.userId, allEnded)).toMatchObject({ after: { sessions: 'all-ended' } });
  });
});

test('an audit event keeps the name of its actor, who gets another, until it expires', async () => {
  const user = aUser({ name: 'Old name', role: 'admin' });
  await service.backend.users.insert(user);
  const { auditEvents: events } = service.backend;
  const event = anAuditEvent({ actor: { kind: 'user', id: user.id }, actorName: 'Old name', targetName: null });
  const expired = anAuditEvent({ expiresAt: new Date(0) });
  for (const each of [event, expired]) await events.insert(each);
  await send('PATCH', `/api/v1/users/${user.id}`, { name: 'New name' });
  const [listed] = await listAuditEvents(service, admin, `actorId=${user.id}`);
  expect(listed).toMatchObject({ actorName: 'Old name', targetName: null });
  // MongoDB removes it by itself, within minutes.
  await service.backend.removeExpired(new Date());
  if (inject('backend') === 'embedded') expect(await events.get(expired.id)).toBeNull();
  expect(await events.get(event.id)).not.toBeNull();
});

describe('the audit trail of widgets and deliveries', () => {
  test('has a widget that a user created, once', async () => {
    const headers = { ...admin.headers, 'idempotency-key': randomUUID() };
    const body = { name: 'lamp', labels: ['hall'], owner: { userId: admin.userId, email: 'kim@example.com' } };
    const created = await send('POST', '/api/v1/widgets', body, headers);
    const { id } = created.json();
    await send('POST', '/api/v1/widgets', body, headers);
    const event = await findEvent(id, created);
    expect(event).toMatchObject({
      ...byAdmin(),
      target: { kind: 'widget', id },
      targetName: 'lamp',
      action: 'widget.created',
      after: { name: 'lamp', labels: ['hall'] },
    });
    expect(JSON.stringify(event)).not.toContain('kim@example.com');
    expect(await listAuditEvents(service, admin, `targetId=${id}`)).toHaveLength(1);
  });

  test('has no widget that a provision token created', async () => {
    const { token } = (await send('POST', '/api/v1/provision-tokens', { name: 'script' })).json();
    const headers = { authorization: `Bearer ${token}` };
    const created = await send('POST', '/api/v1/widgets', { name: 'lamp' }, headers);
    expect(created.statusCode).toBe(201);
    expect(await listAuditEvents(service, admin, `targetId=${created.json().id}`)).toEqual([]);
  });

  test('has a changed mapping, and replaced secrets without the secrets', async () => {
    const secret = 'a secret of the sender';
    const mapping = { kind: { from: '/action' } };
    const source = { preset: 'github', secrets: [secret], mapping };
    const { id } = (await send('POST', '/api/v1/integrations', { name: 'foreign', source })).json();
    const kind = { from: '/type', values: { opened: 'created' } };
    const changed = await send('PUT', `/api/v1/integrations/${id}/source/mapping`, { kind });
    const shown = (from: string, values: object) => ({ kind: { from, values, otherwise: 'refuse' } });
    const event = await findEvent(id, changed);
    expect(event).toMatchObject({
      ...byAdmin(),
      target: { kind: 'integration', id },
      targetName: expect.stringMatching(/./),
      action: 'integration.mapping-changed',
      before: { mapping: shown('/action', {}) },
      after: { mapping: shown('/type', { opened: 'created' }) },
    });
    const same = await send('PUT', `/api/v1/integrations/${id}/source/mapping`, { kind });
    expect(await findEvent(id, same)).toMatchObject({ before: null, after: null });
    const secrets = ['another secret of theirs', secret];
    const replaced = await findEvent(id, await send('PUT', `/api/v1/integrations/${id}/source/secrets`, { secrets }));
    expect(replaced).toMatchObject({ action: 'integration.secrets-replaced', after: { secrets: '2 replaced' } });
    expect(JSON.stringify([event, replaced])).not.toContain(secret);
    const samples = `/api/v1/integrations/${id}/samples`;
    const kept = await send('PUT', samples, { keepForSeconds: 60 });
    const { keptUntil } = kept.json();
    expect(await findEvent(id, kept)).toMatchObject({ action: 'integration.samples-kept', after: { keptUntil } });
    const deleted = await send('DELETE', samples);
    expect(await findEvent(id, deleted)).toMatchObject({ ...byAdmin(), action: 'integration.samples-deleted' });
  });

  test('has a redriven and a discarded delivery', async () => {
    const { integrationId } = await service.issueHookToken();
    const { eventId, ...delivery } = aDelivery({ integrationId });
    await service.backend.ledger.markDead({ eventId, ...delivery }, 'store-refused');
    const redriven = await send('POST', `/api/v1/integrations/${integrationId}/deliveries/${eventId}/redrive`);
    expect(redriven.statusCode).toBe(202);
    expect(await findEvent(eventId, redriven)).toMatchObject({
      ...byAdmin(),
      target: { kind: 'delivery', id: eventId },
      targetName: null,
      action: 'delivery.redriven',
      after: { integrationId },
    });
    const discarded = await send('DELETE', `/api/v1/integrations/${integrationId}/deliveries/${eventId}`);
    expect(await findEvent(eventId, discarded)).toMatchObject({
      action: 'delivery.discarded',
      before: { integrationId },
    });
  });

  test('has a discarded text of the quarantine', async () => {
    const text = aQuarantinedText();
    await service.backend.quarantine.insert(text);
    const discarded = await send('DELETE', `/api/v1/quarantine/${text.id}`);
    expect(discarded.statusCode).toBe(204);
    expect(await findEvent(text.id, discarded)).toMatchObject({
      ...byAdmin(),
      target: { kind: 'quarantined-text', id: text.id },
      action: 'quarantined-text.discarded',
      before: { reason: 'unreadable' },
    });
  });
});

test('these tests have seen every action but those of refusals and ended streams', () => {
  const others = ['session.failed', 'access.refused', 'stream.ended'];
  expect([...seenActions, ...others].sort()).toEqual([...auditActions].sort());
});
