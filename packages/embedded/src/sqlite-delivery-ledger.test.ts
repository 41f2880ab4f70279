import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Database } from './database.ts';
import { openDatabase } from './open-database.ts';
import { SqliteDeliveryLedger } from './sqlite-delivery-ledger.ts';

/** Returns the SQL of every statement that the ledger prepares, with the steps of SQLite's plan for it. */
function listPlans(): readonly { readonly sql: string; readonly steps: readonly string[] }[] {
  const dataDir = mkdtempSync(join(tmpdir(), 'widget-service-test-'));
  const db = openDatabase(dataDir);
  onTestFinished(() => {
    db.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const statements: string[] = [];
  const prepare = (sql: string) => {
    statements.push(sql);
    return db.prepare(sql);
  };
  new SqliteDeliveryLedger({ prepare } as unknown as Database);
  return statements.map((sql) => ({
    sql,
    steps: db
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map(({ detail }) => String(detail)),
  }));
}

test('each list of deliveries reads its page through an index, and sorts at most the rows of one millisecond', () => {
  const lists = listPlans().filter(({ sql }) => sql.includes('ORDER BY received_at'));
  expect(lists).toHaveLength(11);
  for (const { sql, steps } of lists) {
    const isOfWidget = sql.includes('widget_id = ?');
    expect(steps, sql).toEqual([
      expect.stringMatching(/^SEARCH deliveries USING (?:COVERING )?INDEX deliveries_\w+ \(/),
      ...(isOfWidget ? ['USE TEMP B-TREE FOR LAST TERM OF ORDER BY'] : []),
    ]);
  }
});

test.each([
  ['integration_id = ? AND', 'dead', 'deliveries_unpublished'],
  ['integration_id = ? AND', 'published', 'deliveries_by_receipt'],
  ['received_at >= ?', 'received', 'deliveries_unpublished_by_time'],
  ['received_at >= ?', 'dead', 'deliveries_unpublished_by_time'],
  ['received_at >= ?', 'discarded', 'deliveries_unpublished_by_time'],
  ['received_at >= ?', 'published', 'deliveries_by_time'],
])('deliveries with %s in the state %s are listed by %s', (condition, state, index) => {
  const lists = listPlans().filter(
    ({ sql }) =>
      sql.includes('ORDER BY received_at') && sql.includes(`WHERE ${condition}`) && sql.includes(`state = '${state}'`),
  );
  expect(lists).toHaveLength(1);
  expect(lists[0]?.steps[0]).toContain(` ${index} (`);
});

test('dead deliveries are counted in an index alone', () => {
  const [count] = listPlans().filter(({ sql }) => sql.includes('GROUP BY integration_id'));
  expect(count?.steps[0]).toBe('CO-ROUTINE (subquery-1)');
  expect(count?.steps).toContainEqual(
    expect.stringMatching(/^(?:SCAN|SEARCH) deliveries USING COVERING INDEX deliveries_unpublished/),
  );
});
