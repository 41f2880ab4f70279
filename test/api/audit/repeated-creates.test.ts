import { randomUUID } from 'node:crypto';
import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { expect, test } from 'vitest';
import { listAuditEvents } from '../../drivers/app/audit-trail.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import { overrideMethod } from '../../drivers/app/override-method.ts';

let losesReply = false;
const service = await openSharedApp({
  replace: ({ widgets }) => ({
    widgets: overrideMethod(widgets, 'insertOnce', async (creation) => {
      const outcome = await widgets.insertOnce(creation);
      if (losesReply) throw new UnavailableError('the store stored it and did not answer');
      return outcome;
    }),
  }),
});
const admin = await service.signedIn('admin');

test.each([
  ['was answered with 503', true],
  ['was answered with 201', false],
])('a create that %s and is repeated twice has one audit event that names the widget', async (_, isLost) => {
  const create = () =>
    service.post('/api/v1/widgets', { name: 'Pump 7' }, { ...admin.headers, 'idempotency-key': key });
  const key = randomUUID();
  losesReply = isLost;
  expect((await create()).statusCode).toBe(isLost ? 503 : 201);
  losesReply = false;
  const [repeated] = [await create(), await create()];
  expect(repeated.headers['idempotent-replayed']).toBe('true');
  const items = await listAuditEvents(service, admin, `targetId=${repeated.json().id}`);
  expect(items).toEqual([
    expect.objectContaining({ action: 'widget.created', outcome: 'succeeded', targetName: 'Pump 7' }),
  ]);
});
