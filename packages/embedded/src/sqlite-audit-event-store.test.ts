import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { AuditEvent } from '@widget-service/shared/domain/audit-event.ts';
import { expect, onTestFinished, test } from 'vitest';
import { databaseFileName, openDatabase } from './open-database.ts';
import { createSqliteAuditEventStore } from './sqlite-audit-event-store.ts';

const event: AuditEvent = {
  id: '01a1fc9d-5f9c-7267-ab71-c602763bfae4',
  occurredAt: new Date('2026-03-01T10:00:00.123Z'),
  action: 'user.changed',
  operation: 'example.users.update',
  outcome: 'succeeded',
  code: null,
  actor: { kind: 'user', id: '7d1f4a52-93c8-4e0b-a6d7-58b0c3e19f24' },
  actorName: 'Kim Doe',
  target: null,
  targetName: null,
  clientAddress: null,
  emailHmac: null,
  before: { role: 'viewer' },
  after: { role: 'admin' },
  requestId: null,
  unlisted: 0,
};

test('the SQLite file rejects every update of an audit event', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'widget-service-test-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const db = openDatabase(dataDir);
  await createSqliteAuditEventStore(db).append([event]);
  db.close();
  const file = new DatabaseSync(join(dataDir, databaseFileName));
  const read = () => file.prepare('SELECT * FROM audit_events').all();
  const before = read();
  for (const column of Object.keys(before[0] ?? {})) {
    expect(() => file.exec(`UPDATE audit_events SET ${column} = ${column}`)).toThrow('audit events never change');
  }
  expect(() => file.exec("UPDATE audit_events SET event = '{}'")).toThrow('audit events never change');
  expect(read()).toEqual(before);
  expect(before).toHaveLength(1);
  file.close();
});
