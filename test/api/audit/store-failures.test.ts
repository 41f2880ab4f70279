import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { listAuditEventsOnce } from '../../drivers/app/audit-trail.ts';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import { overrideMethod } from '../../drivers/app/override-method.ts';
import { openTestApp } from '../../drivers/app/test-app.ts';
import { eventually } from '../../drivers/tools/eventually.ts';

/** Calls `before` before each insert of an audit event. */
const replaceInsert = (auditEvents: Backend['auditEvents'], before: () => Promise<unknown>) =>
  overrideMethod(auditEvents, 'insert', async (event) => {
    await before();
    return auditEvents.insert(event);
  });

/** What happens before each insert. */
let beforeInsert: () => Promise<void>;
let failsAnnounce = false;
const service = await openSharedApp({
  replace: ({ auditEvents, control }) => ({
    auditEvents: replaceInsert(auditEvents, () => beforeInsert()),
    control: {
      announce: (entry) =>
        failsAnnounce ? Promise.reject(new UnavailableError('no control log')) : control.announce(entry),
      openTail: () => control.openTail(),
    },
  }),
});
const admin = await service.signedIn('admin');
beforeEach(() => {
  beforeInsert = async () => undefined;
  failsAnnounce = false;
});

const createSubscription = () => admin.post('/api/v1/subscriptions', { name: 'screen' });
const findLines = (message: string) => service.logLines.filter((line) => JSON.parse(line).msg === message);

describe('a change whose audit event cannot be stored', () => {
  test('is acknowledged, logs an error, and is listed once the store accepts the event', async () => {
    let failures = 2;
    beforeInsert = async () => {
      failures -= 1;
      if (failures >= 0) throw new UnavailableError('the store is down');
    };
    const response = await createSubscription();
    expect(response.statusCode).toBe(201);
    expect(findLines('audit.not_stored')).toHaveLength(1);
    expect(JSON.parse(findLines('audit.not_stored')[0] ?? '')).toMatchObject({ level: 'error' });
    await listAuditEventsOnce(service, admin, `targetId=${response.json().id}`);
    await eventually(async () => findLines('audit.stored_again').length === 1, 'a line says that the event is stored');
    expect(findLines('audit.lost')).toEqual([]);
  });

  test('is acknowledged within the deadline of a request while the store hangs, and is listed later', async () => {
    const hanging = Promise.withResolvers<void>();
    beforeInsert = () => hanging.promise;
    const startedAtMs = performance.now();
    const response = await createSubscription();
    expect(response.statusCode).toBe(201);
    expect(performance.now() - startedAtMs).toBeLessThan(3_000);
    expect(findLines('audit.deferred')).toHaveLength(1);
    hanging.resolve();
    await listAuditEventsOnce(service, admin, `targetId=${response.json().id}`);
  });
});

test('the event of a change that took place is stored before its response', async () => {
  const order: string[] = [];
  beforeInsert = async () => void order.push('insert');
  const response = await createSubscription();
  order.push('response');
  expect(response.statusCode).toBe(201);
  expect(order).toEqual(['insert', 'response']);
});

test('a change that the service could not finish has the outcome failed', async () => {
  const { id } = (await createSubscription()).json();
  failsAnnounce = true;
  const url = `/api/v1/subscriptions/${id}`;
  const response = await admin.delete(url);
  expectProblem(response, { status: 503, code: 'unavailable' });
  const events = await listAuditEventsOnce(service, admin, `targetId=${id}&action=subscription.revoked`);
  expect(events).toMatchObject([{ outcome: 'failed', code: 'unavailable', before: { name: 'screen' }, after: null }]);
});

test('what could not be stored is complete in the log when the service ends', async () => {
  const ending = await openTestApp({
    replace: ({ auditEvents }) => ({
      auditEvents: replaceInsert(auditEvents, () => Promise.reject(new UnavailableError('the store is down'))),
    }),
  });
  const { headers, userId } = await ending.signedIn('admin');
  const payload = { name: 'screen' };
  const response = await ending.post('/api/v1/subscriptions', payload, headers);
  const { id, token } = response.json();
  await ending.close();
  const line = ending.logLines.find((text) => JSON.parse(text).msg === 'audit.lost') ?? '{}';
  expect(JSON.parse(line)).toMatchObject({
    level: 'error',
    auditEvent: {
      action: 'subscription.created',
      actor: { kind: 'user', id: userId },
      target: { kind: 'subscription', id },
      after: { name: 'screen' },
    },
  });
  expect(line).not.toContain(token);
});
