import { randomUUID } from 'node:crypto';
import {
  advanceScanCursor,
  type OutboxScanCursor,
  type UnpublishedWidget,
  type WidgetOutbox,
} from '@widget-service/shared/ports/widget-store.ts';
import { describe, expect, test } from 'vitest';
import { aCreation, anEntry, aWidget } from '../drivers/app/builders.ts';
import { openSharedBackend } from '../drivers/app/open-shared.ts';

const getWidgetIds = (widgets: readonly UnpublishedWidget[]) => widgets.map(({ widgetId }) => widgetId);

/** Returns the widget ids of all pages of a scan, with `limit` widgets per page. */
async function readPages(
  find: (limit: number, from?: OutboxScanCursor) => Promise<UnpublishedWidget[]>,
  limit: number,
) {
  const pages: string[][] = [];
  for (let from: OutboxScanCursor | undefined; ; ) {
    const page = await find(limit, from);
    if (page.length === 0) return pages;
    pages.push(getWidgetIds(page));
    from = advanceScanCursor(page, from);
  }
}

const testBackend = await openSharedBackend();
const outboxes = () => testBackend.backend.outboxes;

const findOverdueIds = async (...args: Parameters<WidgetOutbox['findOverdue']>) =>
  getWidgetIds(await outboxes().findOverdue(...args));
const findFutureDatedIds = async (...args: Parameters<WidgetOutbox['findFutureDated']>) =>
  getWidgetIds(await outboxes().findFutureDated(...args));

/** Inserts a widget with `entryCount` entries in its outbox, received one second apart from `firstAt` on. */
async function insertWidget(entryCount: number, firstAt = new Date('2026-03-01T00:00:00.000Z')) {
  const creation = aCreation(aWidget({ createdAt: firstAt }));
  const { widget } = creation;
  await testBackend.backend.widgets.insertOnce(creation);
  const entries = Array.from({ length: entryCount - 1 }, (_, n) =>
    anEntry(widget, n + 2, { receivedAt: new Date(firstAt.getTime() + (n + 1) * 1000) }),
  );
  const after = entries.at(-1)?.after;
  if (after !== undefined) {
    await testBackend.backend.effects.apply([{ widgetId: widget.id, fromVersion: 1, after, entries }]);
  }
  return widget.id;
}

/** Returns the versions in the outbox of the widget. */
async function readVersions(widgetId: string) {
  const [loaded] = await testBackend.backend.effects.load([widgetId]);
  return loaded?.outbox.map(({ after }) => after.version);
}

describe('WidgetOutbox.removePublished', () => {
  test('removes the entries up to the version, and keeps later ones', async () => {
    const id = await insertWidget(4);
    expect(await readVersions(id)).toEqual([1, 2, 3, 4]);
    await outboxes().removePublished([{ widgetId: id, version: 2 }]);
    expect(await readVersions(id)).toEqual([3, 4]);
    await outboxes().removePublished([{ widgetId: id, version: 4 }]);
    expect(await readVersions(id)).toEqual([]);
  });

  test('may be repeated, and accepts an empty outbox', async () => {
    const id = await insertWidget(1);
    for (let n = 0; n < 2; n += 1) {
      await outboxes().removePublished([{ widgetId: id, version: 1 }]);
    }
  });

  test('leaves the widget unchanged', async () => {
    const id = await insertWidget(3);
    const before = await testBackend.backend.widgets.get(id);
    await outboxes().removePublished([{ widgetId: id, version: 3 }]);
    expect(await testBackend.backend.widgets.get(id)).toEqual(before);
  });

  test('removes the entries of the other widgets when one is unknown', async () => {
    const id = await insertWidget(1);
    await outboxes().removePublished([randomUUID(), id].map((widgetId) => ({ widgetId, version: 1 })));
    expect(await readVersions(id)).toEqual([]);
  });

  test('accepts an empty list', async () => {
    await outboxes().removePublished([]);
  });

  test('keeps the removal across a reopen', async () => {
    const id = await insertWidget(2);
    await outboxes().removePublished([{ widgetId: id, version: 1 }]);
    await testBackend.reopen();
    expect(await readVersions(id)).toEqual([2]);
  });
});

describe('WidgetOutbox.findOverdue', () => {
  // Each test uses times before those of all other tests, because a scan covers the whole store.
  test('returns widgets whose oldest entry is older than the time, oldest first', async () => {
    const at = (second: number) => new Date(Date.UTC(2003, 0, 1, 0, 0, second));
    const [third, first, second] = [
      await insertWidget(1, at(30)),
      await insertWidget(3, at(10)),
      await insertWidget(1, at(20)),
    ];
    expect(await findOverdueIds(at(31), 10)).toEqual([first, second, third]);
    expect(await findOverdueIds(at(31), 2)).toEqual([first, second]);
    expect(await findOverdueIds(at(30), 10)).toEqual([first, second]);
    expect(await findOverdueIds(at(10), 10)).toEqual([]);
  });

  test('compares the oldest entry that is left after removePublished', async () => {
    const at = (second: number) => new Date(Date.UTC(2002, 0, 1, 0, 0, second));
    const id = await insertWidget(2, at(0));
    expect(await findOverdueIds(at(1), 10)).toEqual([id]);
    await outboxes().removePublished([{ widgetId: id, version: 1 }]);
    expect(await findOverdueIds(at(1), 10)).toEqual([]);
    expect(await findOverdueIds(at(2), 10)).toEqual([id]);
    await outboxes().removePublished([{ widgetId: id, version: 2 }]);
    expect(await findOverdueIds(at(2), 10)).toEqual([]);
  });

  test('returns nothing when no entry is old enough', async () => {
    await insertWidget(1);
    expect(await findOverdueIds(new Date('1990-01-01T00:00:00.000Z'), 10)).toEqual([]);
  });

  test('returns each widget once', async () => {
    const at = new Date(Date.UTC(2001, 0, 1));
    const id = await insertWidget(20, at);
    expect(await findOverdueIds(new Date(Date.UTC(2001, 0, 2)), 10)).toEqual([id]);
    expect(await findOverdueIds(new Date(Date.UTC(2001, 0, 2)), 1)).toEqual([id]);
  });

  test('returns the time of the oldest entry', async () => {
    const at = (second: number) => new Date(Date.UTC(2000, 0, 1, 0, 0, second));
    const id = await insertWidget(3, at(5));
    expect(await outboxes().findOverdue(at(60), 10)).toEqual([{ widgetId: id, since: at(5) }]);
  });

  test('returns each widget once across pages, also when several have the same time or many entries', async () => {
    const at = (second: number) => new Date(Date.UTC(1999, 0, 1, 0, 0, second));
    const first = await insertWidget(4, at(0));
    const simultaneous = [
      await insertWidget(1, at(1)),
      await insertWidget(3, at(1)),
      await insertWidget(1, at(1)),
      await insertWidget(2, at(1)),
    ];
    const last = await insertWidget(1, at(2));
    for (const limit of [1, 2, 3, 10]) {
      const pages = await readPages((...args) => outboxes().findOverdue(at(10), ...args), limit);
      const ids = pages.flat();
      expect([ids[0], ids.slice(1, 5).toSorted(), ...ids.slice(5)]).toEqual([first, simultaneous.toSorted(), last]);
      expect(pages).toHaveLength(Math.ceil(6 / limit));
    }
  });
});

describe('WidgetOutbox.findFutureDated', () => {
  // Each test uses times after those of all other tests, because a scan covers the whole store.
  test('returns widgets whose oldest entry is later than the time, earliest first', async () => {
    const at = (second: number) => new Date(Date.UTC(2103, 0, 1, 0, 0, second));
    const [third, first, second] = [
      await insertWidget(1, at(30)),
      await insertWidget(3, at(10)),
      await insertWidget(1, at(20)),
    ];
    expect(await findFutureDatedIds(at(9), 10)).toEqual([first, second, third]);
    expect(await findFutureDatedIds(at(9), 2)).toEqual([first, second]);
    expect(await findFutureDatedIds(at(10), 10)).toEqual([second, third]);
    expect(await findFutureDatedIds(at(30), 10)).toEqual([]);
  });

  test('compares the oldest entry that is left after removePublished', async () => {
    const at = (second: number) => new Date(Date.UTC(2104, 0, 1, 0, 0, second));
    const id = await insertWidget(2, at(0));
    expect(await findFutureDatedIds(at(0), 10)).toEqual([]);
    await outboxes().removePublished([{ widgetId: id, version: 1 }]);
    expect(await findFutureDatedIds(at(0), 10)).toEqual([id]);
    await outboxes().removePublished([{ widgetId: id, version: 2 }]);
    expect(await findFutureDatedIds(at(0), 10)).toEqual([]);
  });

  test('returns each widget once across pages', async () => {
    const at = (second: number) => new Date(Date.UTC(2105, 0, 1, 0, 0, second));
    const ids = [await insertWidget(2, at(10)), await insertWidget(1, at(20)), await insertWidget(1, at(30))];
    const pages = await readPages((...args) => outboxes().findFutureDated(at(9), ...args), 2);
    expect(pages).toEqual([ids.slice(0, 2), ids.slice(2)]);
  });
});
