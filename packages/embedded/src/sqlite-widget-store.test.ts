import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WidgetFilter, WidgetStore } from '@widget-service/shared/ports/widget-store.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from './database.ts';
import { openDatabase } from './open-database.ts';
import { SqliteWidgetStore } from './sqlite-widget-store.ts';

const widgetCount = 30_001;
const dataDir = mkdtempSync(join(tmpdir(), 'widget-service-list-'));
let db: Database;
let store: WidgetStore;

beforeAll(async () => {
  db = openDatabase(dataDir);
  // Each time is shared by three widgets. The order of ids differs from the order of insertion. Every fifth is retired.
  const insert = db.prepare(`
    WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ${widgetCount})
    INSERT INTO widgets (id, name, state, labels, created_at, updated_at, version)
    SELECT printf('00000000-0000-7000-8000-%012d', (n * 7919) % ${widgetCount}), 'A widget', iif(n % 5 = 0, 'retired', 'active'), '[]', n / 3, n / 3, 1
    FROM numbers`);
  await db.write(() => insert.run());
  store = new SqliteWidgetStore(db);
});
afterAll(() => {
  db.close();
  rmSync(dataDir, { recursive: true });
});

/** Counts the event-loop turns in which other work could run until `work` was done. */
async function countTurnsDuring(work: Promise<unknown>): Promise<number> {
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

const allWidgets: WidgetFilter = { state: null, createdAtOrBefore: null };

test('lets other work run while it reads a page far down the list', async () => {
  expect(await countTurnsDuring(store.list(allWidgets, { offset: widgetCount - 1, limit: 51 }))).toBeGreaterThanOrEqual(
    2,
  );
  expect(
    await countTurnsDuring(store.list(allWidgets, { offset: 2_147_483_646 * 200, limit: 201 })),
  ).toBeGreaterThanOrEqual(2);
});

test('lets other work run while it counts many widgets', async () => {
  expect(await countTurnsDuring(store.count(allWidgets, 2_147_483_647))).toBeGreaterThanOrEqual(2);
});

describe.each<WidgetFilter>([
  allWidgets,
  { state: 'active', createdAtOrBefore: null },
  { state: null, createdAtOrBefore: new Date(8_000) },
  { state: 'retired', createdAtOrBefore: new Date(9_000) },
])('with the filter %j', (filter) => {
  test('returns the right page at any offset, and the right count', async () => {
    const rows = (await store.list(filter, { offset: 0, limit: widgetCount })).filter((row) => row !== null);
    const newestFirst = rows.toSorted(
      (a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1),
    );
    expect(rows).toEqual(newestFirst);
    for (const offset of [9_999, 10_000, 10_001, 20_001, rows.length - 1, rows.length, rows.length + 10_000]) {
      const page = await store.list(filter, { offset, limit: 3 });
      expect(page.map((row) => row?.id)).toEqual(rows.slice(offset, offset + 3).map(({ id }) => id));
    }
    for (const atMost of [1, 9_999, 10_000, 10_001, 20_000, 2_147_483_647]) {
      expect(await store.count(filter, atMost)).toBe(Math.min(atMost, rows.length));
    }
  });
});

test('reads concurrent pages one after the other, so that no turn takes longer', async () => {
  const turnsOfOne = await countTurnsDuring(store.list(allWidgets, { offset: widgetCount - 1, limit: 1 }));
  const pages = Array.from({ length: 10 }, () => store.list(allWidgets, { offset: widgetCount - 1, limit: 1 }));
  expect(await countTurnsDuring(Promise.all(pages))).toBeGreaterThanOrEqual(10 * (turnsOfOne - 1));
});

test('returns the same for concurrent reads as for one read', async () => {
  const offsets = Array.from({ length: 30 }, (_, index) => index * 1_000);
  const rows = await store.list(allWidgets, { offset: 0, limit: widgetCount });
  const pages = await Promise.all(offsets.map((offset) => store.list(allWidgets, { offset, limit: 1 })));
  expect(pages.map(([widget]) => widget?.id)).toEqual(offsets.map((offset) => rows[offset]?.id));
});
