import { randomUUID } from 'node:crypto';
import type { QuarantinedText } from '@widget-service/shared/entities/quarantined-text.ts';
import { describe, expect, test } from 'vitest';
import { listAuditEvents } from '../../drivers/app/audit-trail.ts';
import { aQuarantinedText, awkwardPayload } from '../../drivers/app/builders.ts';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import { eventually } from '../../drivers/tools/eventually.ts';

const path = '/api/v1/quarantine';

const service = await openSharedApp();
const admin = await service.signedIn('admin');

async function quarantineOne(overrides: Partial<QuarantinedText> = {}): Promise<QuarantinedText> {
  const text = aQuarantinedText(overrides);
  await service.backend.quarantine.insert(text);
  return text;
}

const send = (method: 'GET' | 'DELETE', url: string, headers: Record<string, string> = { ...admin.headers }) =>
  service.inject({ method, url, headers });

describe('GET /api/v1/quarantine', () => {
  test('lists texts, the newest first, with when, why, where from and size, and without the text', async () => {
    const integrationId = randomUUID();
    const older = await quarantineOne({ quarantinedAt: new Date('2099-01-01T00:00:00.001Z') });
    const newer = await quarantineOne({
      quarantinedAt: new Date('2099-01-01T00:00:00.002Z'),
      reason: 'store-refused',
      integrationId,
      text: '{"größe":1}',
    });
    const response = await send('GET', `${path}?pageSize=2`);
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({
      page: 1,
      pageSize: 2,
      items: [
        {
          id: newer.id,
          reason: 'store-refused',
          jobId: newer.jobId,
          integrationId,
          quarantinedAt: '2099-01-01T00:00:00.002Z',
          sizeBytes: 13,
        },
        { id: older.id, reason: 'unreadable', integrationId: null },
      ],
    });
    expect(response.body).not.toContain('größe');
  });
});

describe('GET /api/v1/quarantine/{id}', () => {
  test.each([awkwardPayload, '', '<script>alert(1)</script>', '\u001b[2J\u202e half of a {"version":'])(
    'returns the text unchanged (%j)',
    async (text) => {
      const { id } = await quarantineOne({ text });
      const response = await send('GET', `${path}/${id}`);
      expect(response.statusCode).toBe(200);
      expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
      expect(response.json()).toMatchObject({ id, text });
    },
  );
});

describe('DELETE /api/v1/quarantine/{id}', () => {
  test('removes the text for good; the audit trail says what it was', async () => {
    const integrationId = randomUUID();
    const { id, text } = await quarantineOne({ reason: 'store-refused', integrationId });
    const response = await send('DELETE', `${path}/${id}`);
    expect(response.statusCode).toBe(204);
    expectProblem(await send('GET', `${path}/${id}`), { status: 404, code: 'not-found' });
    const [event] = await listAuditEvents(service, admin, `targetId=${id}&action=quarantined-text.discarded`);
    expect(event).toMatchObject({
      outcome: 'succeeded',
      actor: { kind: 'user', id: admin.userId },
      target: { kind: 'quarantined-text', id },
      before: { reason: 'store-refused', integrationId, sizeBytes: text.length },
      after: null,
    });
    expectProblem(await send('DELETE', `${path}/${id}`), { status: 404, code: 'not-found' });
  });
});

test('an id may be sent in upper case, as any UUID', async () => {
  const { id } = await quarantineOne();
  const upper = `${path}/${id.toUpperCase()}`;
  expect((await send('GET', upper)).json()).toMatchObject({ id });
  expect((await send('DELETE', upper)).statusCode).toBe(204);
  expect(await service.backend.quarantine.get(id)).toBeNull();
  const [event] = await listAuditEvents(service, admin, `targetId=${id}&action=quarantined-text.discarded`);
  expect(event).toMatchObject({ target: { kind: 'quarantined-text', id } });
});

test('an id that is no UUID is unknown, and stays out of the audit trail', async () => {
  expectProblem(await send('DELETE', `${path}/a-secret`), { status: 404, code: 'not-found' });
  const find = () => listAuditEvents(service, admin, 'action=quarantined-text.discarded');
  await eventually(async () => (await find()).some(({ outcome }) => outcome === 'refused'), 'the refusal is listed');
  expect(JSON.stringify(await find())).not.toContain('a-secret');
});
