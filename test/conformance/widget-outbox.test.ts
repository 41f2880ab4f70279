import {
  advanceScanCursor,
  type OutboxScanCursor,
  type UnpublishedWidget,
  type WidgetOutbox,
} from '@widget-service/shared/ports/widget-outbox.ts';
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

const startRun = async () => (await testBackend.backend.runs.startRun()).run;

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
    const run = await startRun();
    await testBackend.backend.effects.claim(run, [widget.id]);
    await testBackend.backend.effects.apply(run, [{ widgetId: widget.id, fromVersion: 1, after, entries }]);
  }
  return widget.id;
}

/** Claims the widget, and returns the versions in its outbox. */
async function claimVersions(run: number, widgetId: string) {
  const { claimed } = await testBackend.backend.effects.claim(run, [widgetId]);
  return claimed[0]?.outbox.map(({ after }) => after.version);
}

describe('WidgetOutbox.removePublished', () => {
  test('removes the entries up to the version, and keeps later ones', async () => {
    const id = await insertWidget(4);
    const run = await startRun();
    expect(await claimVersions(run, id)).toEqual([1, 2, 3, 4]);
    expect(await outboxes().removePublished(run, [{ widgetId: id, version: 2 }])).toEqual({ superseded: [] });
    expect(await claimVersions(run, id)).toEqual([3, 4]);
    expect(await outboxes().removePublished(run, [{ widgetId: id, version: 4 }])).toEqual({ superseded: [] });
    expect(await claimVersions(run, id)).toEqual([]);
  });

  test('may be repeated, and accepts an empty outbox', async () => {
    const id = await insertWidget(1);
    const run = await startRun();
    await claimVersions(run, id);
    for (let n = 0; n < 2; n += 1) {
      expect(await outboxes().removePublished(run, [{ widgetId: id, version: 1 }])).toEqual({ superseded: [] });
    }
  });

  test('leaves the widget unchanged', async () => {
    const id = await insertWidget(3);
    const before = await testBackend.backend.widgets.get(id);
    const run = await startRun();
    await claimVersions(run, id);
    await outboxes().removePublished(run, [{ widgetId: id, version: 3 }]);
    expect(await testBackend.backend.widgets.get(id)).toEqual(before);
  });

  test('removes nothing for a run that has lost its fence or never claimed the widget', async () => {
    const id = await insertWidget(2);
    const [low, middle, high] = [await startRun(), await startRun(), await startRun()];
    await claimVersions(low, id);
    await claimVersions(middle, id);
    for (const run of [low, high]) {
      expect(await outboxes().removePublished(run, [{ widgetId: id, version: 2 }])).toEqual({ superseded: [id] });
    }
    expect(await claimVersions(high, id)).toEqual([1, 2]);
  });

  test('removes the entries of the other widgets when one is superseded', async () => {
    const [claimed, superseded] = [await insertWidget(1), await insertWidget(1)];
    const [run, higher] = [await startRun(), await startRun()];
    await claimVersions(run, claimed);
    await claimVersions(higher, superseded);
    const published = [superseded, claimed].map((widgetId) => ({ widgetId, version: 1 }));
    expect(await outboxes().removePublished(run, published)).toEqual({ superseded: [superseded] });
    expect(await claimVersions(higher, claimed)).toEqual([]);
    expect(await claimVersions(higher, superseded)).toEqual([1]);
  });

  test('accepts an empty list', async () => {
    expect(await outboxes().removePublished(await startRun(), [])).toEqual({ superseded: [] });
  });

  test('keeps the removal across a reopen', async () => {
    const id = await insertWidget(2);
    const run = await startRun();
    await claimVersions(run, id);
    await outboxes().removePublished(run, [{ widgetId: id, version: 1 }]);
    await testBackend.reopen();
    expect(await claimVersions(await startRun(), id)).toEqual([2]);
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
    const run = await startRun();
    await claimVersions(run, id);
    await outboxes().removePublished(run, [{ widgetId: id, version: 1 }]);
    expect(await findOverdueIds(at(1), 10)).toEqual([]);
    expect(await findOverdueIds(at(2), 10)).toEqual([id]);
    await outboxes().removePublished(run, [{ widgetId: id, version: 2 }]);
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
    const run = await startRun();
    await claimVersions(run, id);
    await outboxes().removePublished(run, [{ widgetId: id, version: 1 }]);
    expect(await findFutureDatedIds(at(0), 10)).toEqual([id]);
    await outboxes().removePublished(run, [{ widgetId: id, version: 2 }]);
    expect(await findFutureDatedIds(at(0), 10)).toEqual([]);
  });

  test('returns each widget once across pages', async () => {
    const at = (second: number) => new Date(Date.UTC(2105, 0, 1, 0, 0, second));
    const ids = [await insertWidget(2, at(10)), await insertWidget(1, at(20)), await insertWidget(1, at(30))];
    const pages = await readPages((...args) => outboxes().findFutureDated(at(9), ...args), 2);
    expect(pages).toEqual([ids.slice(0, 2), ids.slice(2)]);
  });
});
