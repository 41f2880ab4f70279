import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { auditEventEntity } from '@widget-service/shared/entities/audit-event.ts';
import { expect, onTestFinished, test } from 'vitest';
import { databaseFileName, openDatabase } from './open-database.ts';
import { SqliteCollection } from './sqlite-collection.ts';

test('the SQLite file rejects every update of an audit event, and accepts its removal', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'widget-service-test-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const db = openDatabase(dataDir);
  new SqliteCollection(db, auditEventEntity);
  db.close();
  const file = new DatabaseSync(join(dataDir, databaseFileName));
  onTestFinished(() => file.close());
  file.exec(`INSERT INTO "auditEvents" (key, body) VALUES ('a', '{}')`);
  for (const change of ['key = key', 'body = body', `body = '{"id":"b"}'`]) {
    expect(() => file.exec(`UPDATE "auditEvents" SET ${change}`)).toThrow('auditEvents never change');
  }
  expect(file.prepare('SELECT * FROM "auditEvents"').all()).toEqual([{ key: 'a', body: '{}' }]);
  file.exec('DELETE FROM "auditEvents"');
});
