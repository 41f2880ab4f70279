import {
  advanceScanCursor,
  type OutboxScanCursor,
  type UnpublishedWidget,
  type WidgetOutbox,
} from '@widget-service/shared/ports/widget-outbox.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aCreation, anEntry, aWidget } from '../drivers/builders.ts';
import { openTestBackend } from '../drivers/open-test-backend.ts';
import type { TestBackend } from '../drivers/test-backend.ts';

const idsOf = (found: readonly UnpublishedWidget[]) => found.map(({ widgetId }) => widgetId);

/** All that a search finds, by pages of `limit`. */
async function pagesOf(find: (limit: number, from?: OutboxScanCursor) => Promise<UnpublishedWidget[]>, limit: number) {
  const pages: string[][] = [];
  for (let from: OutboxScanCursor | undefined; ; ) {
    const found = await find(limit, from);
    if (found.length === 0) return pages;
    pages.push(idsOf(found));
    from = advanceScanCursor(found, from);
  }
}

describe('WidgetOutbox', () => {
  let store: TestBackend;
  beforeAll(async () => {
    store = await openTestBackend();
  });
  afterAll(() => store.dispose());
  const outboxes = () => store.backend.outboxes;

  const stale = async (...args: Parameters<WidgetOutbox['findOverdue']>) =>
    idsOf(await outboxes().findOverdue(...args));
  const ahead = async (...args: Parameters<WidgetOutbox['findFutureDated']>) =>
    idsOf(await outboxes().findFutureDated(...args));

  const nextRun = async () => (await store.backend.runs.startRun()).run;

  /** A widget with `entryCount` entries in its outbox, received a second apart from `firstAt` on. */
  async function stored(entryCount: number, firstAt = new Date('2026-03-01T00:00:00.000Z')) {
    const creation = aCreation(aWidget({ createdAt: firstAt }));
    const { widget } = creation;
    await store.backend.widgets.insertOnce(creation);
    const entries = Array.from({ length: entryCount - 1 }, (_, n) =>
      anEntry(widget, n + 2, { receivedAt: new Date(firstAt.getTime() + (n + 1) * 1000) }),
    );
    const after = entries.at(-1)?.after;
    if (after !== undefined) {
      const run = await nextRun();
      await store.backend.effects.claim(run, [widget.id]);
      await store.backend.effects.apply(run, [{ widgetId: widget.id, fromVersion: 1, after, entries }]);
    }
    return widget.id;
  }

  async function claimedBy(run: number, widgetId: string) {
    const { claimed } = await store.backend.effects.claim(run, [widgetId]);
    return claimed[0]?.outbox.map(({ after }) => after.version);
  }

  describe('a pull', () => {
    it('removes the entries up to the version and keeps the later ones', async () => {
      const id = await stored(4);
      const run = await nextRun();
      expect(await claimedBy(run, id)).toEqual([1, 2, 3, 4]);
      expect(await outboxes().removePublished(run, [{ widgetId: id, version: 2 }])).toEqual({ superseded: [] });
      expect(await claimedBy(run, id)).toEqual([3, 4]);
      expect(await outboxes().removePublished(run, [{ widgetId: id, version: 4 }])).toEqual({ superseded: [] });
      expect(await claimedBy(run, id)).toEqual([]);
    });

    it('may be repeated, also on an empty outbox', async () => {
      const id = await stored(1);
      const run = await nextRun();
      await claimedBy(run, id);
      for (let n = 0; n < 2; n += 1) {
        expect(await outboxes().removePublished(run, [{ widgetId: id, version: 1 }])).toEqual({ superseded: [] });
      }
    });

    it('leaves the widget itself as it was', async () => {
      const id = await stored(3);
      const before = await store.backend.widgets.get(id);
      const run = await nextRun();
      await claimedBy(run, id);
      await outboxes().removePublished(run, [{ widgetId: id, version: 3 }]);
      expect(await store.backend.widgets.get(id)).toEqual(before);
    });

    it('is refused to every run but the one that has the claim, and then removes nothing', async () => {
      const id = await stored(2);
      const [low, middle, high] = [await nextRun(), await nextRun(), await nextRun()];
      await claimedBy(low, id);
      await claimedBy(middle, id);
      for (const run of [low, high]) {
        expect(await outboxes().removePublished(run, [{ widgetId: id, version: 2 }])).toEqual({ superseded: [id] });
      }
      expect(await claimedBy(high, id)).toEqual([1, 2]);
    });

    it('that is refused for one widget takes place for the others', async () => {
      const [mine, other] = [await stored(1), await stored(1)];
      const [run, higher] = [await nextRun(), await nextRun()];
      await claimedBy(run, mine);
      await claimedBy(higher, other);
      const published = [other, mine].map((widgetId) => ({ widgetId, version: 1 }));
      expect(await outboxes().removePublished(run, published)).toEqual({ superseded: [other] });
      expect(await claimedBy(higher, mine)).toEqual([]);
      expect(await claimedBy(higher, other)).toEqual([1]);
    });

    it('of nothing is nothing', async () => {
      expect(await outboxes().removePublished(await nextRun(), [])).toEqual({ superseded: [] });
    });

    it('survives a reopen', async () => {
      const id = await stored(2);
      const run = await nextRun();
      await claimedBy(run, id);
      await outboxes().removePublished(run, [{ widgetId: id, version: 1 }]);
      await store.reopen();
      expect(await claimedBy(await nextRun(), id)).toEqual([2]);
    });
  });

  describe('the stale outboxes', () => {
    // Each test keeps to a time before all the others, because the search sees the whole store.
    it('are those whose oldest entry is older than the time, oldest first', async () => {
      const at = (second: number) => new Date(Date.UTC(2003, 0, 1, 0, 0, second));
      const [third, first, second] = [await stored(1, at(30)), await stored(3, at(10)), await stored(1, at(20))];
      expect(await stale(at(31), 10)).toEqual([first, second, third]);
      expect(await stale(at(31), 2)).toEqual([first, second]);
      expect(await stale(at(30), 10)).toEqual([first, second]);
      expect(await stale(at(10), 10)).toEqual([]);
    });

    it('are judged by what is left after a pull', async () => {
      const at = (second: number) => new Date(Date.UTC(2002, 0, 1, 0, 0, second));
      const id = await stored(2, at(0));
      expect(await stale(at(1), 10)).toEqual([id]);
      const run = await nextRun();
      await claimedBy(run, id);
      await outboxes().removePublished(run, [{ widgetId: id, version: 1 }]);
      expect(await stale(at(1), 10)).toEqual([]);
      expect(await stale(at(2), 10)).toEqual([id]);
      await outboxes().removePublished(run, [{ widgetId: id, version: 2 }]);
      expect(await stale(at(2), 10)).toEqual([]);
    });

    it('are none where nothing is old', async () => {
      await stored(1);
      expect(await stale(new Date('1990-01-01T00:00:00.000Z'), 10)).toEqual([]);
    });

    it('name each widget once', async () => {
      const at = new Date(Date.UTC(2001, 0, 1));
      const id = await stored(20, at);
      expect(await stale(new Date(Date.UTC(2001, 0, 2)), 10)).toEqual([id]);
      expect(await stale(new Date(Date.UTC(2001, 0, 2)), 1)).toEqual([id]);
    });

    it('are told with the time of their oldest entry', async () => {
      const at = (second: number) => new Date(Date.UTC(2000, 0, 1, 0, 0, second));
      const id = await stored(3, at(5));
      expect(await outboxes().findOverdue(at(60), 10)).toEqual([{ widgetId: id, since: at(5) }]);
    });

    it('are found page by page, each once, also where several have one time and some have many entries', async () => {
      const at = (second: number) => new Date(Date.UTC(1999, 0, 1, 0, 0, second));
      const first = await stored(4, at(0));
      const ofOneTime = [
        await stored(1, at(1)),
        await stored(3, at(1)),
        await stored(1, at(1)),
        await stored(2, at(1)),
      ];
      const last = await stored(1, at(2));
      for (const limit of [1, 2, 3, 10]) {
        const pages = await pagesOf((...args) => outboxes().findOverdue(at(10), ...args), limit);
        const found = pages.flat();
        expect([found[0], found.slice(1, 5).toSorted(), ...found.slice(5)]).toEqual([
          first,
          ofOneTime.toSorted(),
          last,
        ]);
        expect(pages).toHaveLength(Math.ceil(6 / limit));
      }
    });
  });

  describe('the outboxes that are ahead of the time', () => {
    // Each test keeps to a time after all the others, because the search sees the whole store.
    it('are those whose oldest entry was received after it, the nearest first', async () => {
      const at = (second: number) => new Date(Date.UTC(2103, 0, 1, 0, 0, second));
      const [third, first, second] = [await stored(1, at(30)), await stored(3, at(10)), await stored(1, at(20))];
      expect(await ahead(at(9), 10)).toEqual([first, second, third]);
      expect(await ahead(at(9), 2)).toEqual([first, second]);
      expect(await ahead(at(10), 10)).toEqual([second, third]);
      expect(await ahead(at(30), 10)).toEqual([]);
    });

    it('are judged by what is left after a pull', async () => {
      const at = (second: number) => new Date(Date.UTC(2104, 0, 1, 0, 0, second));
      const id = await stored(2, at(0));
      expect(await ahead(at(0), 10)).toEqual([]);
      const run = await nextRun();
      await claimedBy(run, id);
      await outboxes().removePublished(run, [{ widgetId: id, version: 1 }]);
      expect(await ahead(at(0), 10)).toEqual([id]);
      await outboxes().removePublished(run, [{ widgetId: id, version: 2 }]);
      expect(await ahead(at(0), 10)).toEqual([]);
    });

    it('are found page by page', async () => {
      const at = (second: number) => new Date(Date.UTC(2105, 0, 1, 0, 0, second));
      const ids = [await stored(2, at(10)), await stored(1, at(20)), await stored(1, at(30))];
      const pages = await pagesOf((...args) => outboxes().findFutureDated(at(9), ...args), 2);
      expect(pages).toEqual([ids.slice(0, 2), ids.slice(2)]);
    });
  });
});
