import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WidgetFilter } from '@widget-service/shared/ports/widget-store.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from './database.ts';
import { SqliteWidgetStore } from './sqlite-widget-store.ts';

const size = 30_001;
const dataDir = mkdtempSync(join(tmpdir(), 'widget-service-list-'));
let db: Database;
let store: SqliteWidgetStore;

beforeAll(async () => {
  db = openDatabase(dataDir);
  // Three share each time, in an order of ids that is not the one of their insertion; every fifth is retired.
  const insert = db.prepare(`
    WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ${size})
    INSERT INTO widgets (id, name, state, labels, created_at, updated_at, version)
    SELECT printf('%05d', (n * 7919) % ${size}), 'A widget', iif(n % 5 = 0, 'retired', 'active'), '[]', n / 3, n / 3, 1
    FROM numbers`);
  await db.write(() => insert.run());
  store = new SqliteWidgetStore(db);
});
afterAll(() => {
  db.close();
  rmSync(dataDir, { recursive: true });
});

/** How many turns of the event loop others had until `work` was done. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  const count = () => {
    turns += 1;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  await work;
  clearImmediate(next);
  return turns;
}

const everything: WidgetFilter = { state: null, createdAtOrBefore: null };

test('others have their turns while a deep page is looked for', async () => {
  expect(await turnsDuring(store.list(everything, { offset: size - 1, limit: 51 }))).toBeGreaterThanOrEqual(2);
  expect(await turnsDuring(store.list(everything, { offset: 2_147_483_646 * 200, limit: 201 }))).toBeGreaterThanOrEqual(
    2,
  );
});

test('others have their turns while many are counted', async () => {
  expect(await turnsDuring(store.count(everything, 2_147_483_647))).toBeGreaterThanOrEqual(2);
});

describe.each<WidgetFilter>([
  everything,
  { state: 'active', createdAtOrBefore: null },
  { state: null, createdAtOrBefore: new Date(8_000) },
  { state: 'retired', createdAtOrBefore: new Date(9_000) },
])('of %j', (filter) => {
  test('pages far down are where they belong, and all are counted', async () => {
    const rows = await store.list(filter, { offset: 0, limit: size });
    const newestFirst = rows.toSorted(
      (a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1),
    );
    expect(rows).toEqual(newestFirst);
    for (const offset of [9_999, 10_000, 10_001, 20_001, rows.length - 1, rows.length, rows.length + 10_000]) {
      const page = await store.list(filter, { offset, limit: 3 });
      expect(page.map(({ id }) => id)).toEqual(rows.slice(offset, offset + 3).map(({ id }) => id));
    }
    for (const atMost of [1, 9_999, 10_000, 10_001, 20_000, 2_147_483_647]) {
      expect(await store.count(filter, atMost)).toBe(Math.min(atMost, rows.length));
    }
  });
});

test('many at once do not make the turns longer: they are looked for one after the other', async () => {
  const ofOne = await turnsDuring(store.list(everything, { offset: size - 1, limit: 1 }));
  const many = Array.from({ length: 10 }, () => store.list(everything, { offset: size - 1, limit: 1 }));
  expect(await turnsDuring(Promise.all(many))).toBeGreaterThanOrEqual(10 * (ofOne - 1));
});

test('many at once find the same as one', async () => {
  const offsets = Array.from({ length: 30 }, (_, index) => index * 1_000);
  const rows = await store.list(everything, { offset: 0, limit: size });
  const pages = await Promise.all(offsets.map((offset) => store.list(everything, { offset, limit: 1 })));
  expect(pages.map(([widget]) => widget?.id)).toEqual(offsets.map((offset) => rows[offset]?.id));
});
