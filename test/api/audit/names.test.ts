import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type AuditEventBody, listAuditEvents, listAuditEventsOnce } from '../../drivers/app/audit-trail.ts';
import { aDelivery, anAuditEvent, aUser } from '../../drivers/app/builders.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import { createPasswordUser } from '../../drivers/app/password-user.ts';

const service = await openSharedApp();
const admin = await service.signedIn('admin');
const adminName = 'Kim Doe';
await service.backend.users.change(admin.userId, () => ({ name: adminName }));

type Method = 'POST' | 'PATCH' | 'DELETE';

function send(
  method: Method,
  url: string,
  payload?: object,
  headers: Readonly<Record<string, string>> = admin.headers,
) {
  return service.inject({ method, url, headers, ...(payload === undefined ? {} : { payload }) });
}

const toNames = ({ action, actorName, targetName }: AuditEventBody) => [action, actorName, targetName];
/** Returns action, actor's name and target's name of the events about a resource, oldest first. */
const listNames = async (targetId: string) =>
  (await listAuditEvents(service, admin, `targetId=${targetId}`)).map(toNames).reverse();

describe('an audit event', () => {
  test.each([
    ['subscriptions', 'subscription'],
    ['integrations', 'integration'],
    ['provision-tokens', 'provision-token'],
  ])('has the names of the admin and of one of the %s, as they were then', async (path, kind) => {
    const { id } = (await send('POST', `/api/v1/${path}`, { name: 'first' })).json();
    await send('POST', `/api/v1/${path}/${id}/rotate`, { overlapSeconds: 0 });
    await send('PATCH', `/api/v1/${path}/${id}`, { name: 'second' });
    await send('DELETE', `/api/v1/${path}/${id}`);
    expect(await listNames(id)).toEqual([
      [`${kind}.created`, adminName, 'first'],
      [`${kind}.token-rotated`, adminName, 'first'],
      [`${kind}.changed`, adminName, 'second'],
      [`${kind}.revoked`, adminName, 'second'],
    ]);
  });

  test('has the name of a user, or the e-mail of one without a name', async () => {
    const email = `${randomUUID()}@example.com`;
    const { id } = (await send('POST', '/api/v1/users', { email, password: `a password ${randomUUID()}` })).json();
    await send('PATCH', `/api/v1/users/${id}`, { name: 'Ines Moreau' });
    await send('DELETE', `/api/v1/users/${id}/sessions`);
    await send('DELETE', `/api/v1/users/${id}/sessions/${randomUUID()}`);
    // The last one is refused, so it is listed a moment later.
    const events = await listAuditEventsOnce(service, admin, `targetId=${id}`, 4);
    expect(events.map(toNames).reverse()).toEqual([
      ['user.created', adminName, email],
      ['user.changed', adminName, 'Ines Moreau'],
      ['session.ended', adminName, 'Ines Moreau'],
      ['session.ended', adminName, 'Ines Moreau'],
    ]);
  });

  test('has the name of a user who signs in, and none for a failed sign-in', async () => {
    const { user, signIn } = await createPasswordUser(service, 'correct horse battery');
    const signedIn = await signIn('correct horse battery');
    expect(signedIn.statusCode).toBe(200);
    await signIn('wrong password');
    const events = await listAuditEventsOnce(service, admin, `targetId=${user.id}`, 2);
    expect(events.map(toNames)).toEqual([
      ['session.failed', null, null],
      ['session.created', user.name, user.name],
    ]);
  });

  test('has the name of a provision token whose request was refused', async () => {
    const { id, token } = (await send('POST', '/api/v1/provision-tokens', { name: 'script' })).json();
    await service.backend.provisionTokens.change(id, () => ({ permissions: [] }));
    await send('POST', '/api/v1/widgets', { name: 'lamp' }, { authorization: `Bearer ${token}` });
    const [event] = await listAuditEventsOnce(service, admin, `actorId=${id}`);
    expect(event).toMatchObject({ action: 'access.refused', actorName: 'script', targetName: null });
  });

  test('has the name of a widget, and none for a delivery', async () => {
    const { id } = (await send('POST', '/api/v1/widgets', { name: 'lamp' })).json();
    expect(await listNames(id)).toEqual([['widget.created', adminName, 'lamp']]);
    const { integrationId } = await service.issueHookToken();
    const delivery = aDelivery({ integrationId });
    await service.backend.ledger.markDead(delivery, 'store-refused');
    await send('DELETE', `/api/v1/integrations/${integrationId}/deliveries/${delivery.eventId}`);
    expect(await listNames(delivery.eventId)).toEqual([['delivery.discarded', adminName, null]]);
  });

  test('has the name of the subscription whose stream an admin wanted to end', async () => {
    const { id } = (await send('POST', '/api/v1/subscriptions', { name: 'Control room' })).json();
    await send('DELETE', `/api/v1/subscriptions/${id}/connections/${randomUUID()}`);
    const [event] = await listAuditEventsOnce(service, admin, `targetId=${id}&action=stream.ended`);
    expect(event).toMatchObject({ outcome: 'refused', actorName: adminName, targetName: 'Control room' });
  });

  test('keeps its names when user and target get others', async () => {
    const user = aUser({ name: 'Old name', role: 'admin' });
    await service.backend.users.insert(user);
    const event = anAuditEvent({ actor: { kind: 'user', id: user.id }, actorName: 'Old name', targetName: null });
    await service.backend.auditEvents.insert(event);
    await send('PATCH', `/api/v1/users/${user.id}`, { name: 'New name' });
    const [listed] = await listAuditEvents(service, admin, `actorId=${user.id}`);
    expect(listed).toMatchObject({ actorName: 'Old name', targetName: null });
  });
});
