import { randomUUID } from 'node:crypto';
import type { OutboxEntry } from '@widget-service/shared/domain/outbox-entry.ts';
import type { Widget } from '@widget-service/shared/domain/widget.ts';
import type { WidgetChange } from '@widget-service/shared/ports/widget-effects.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aCreation, anEntry, aWidget, awkwardPayload, awkwardTexts } from '../drivers/builders.ts';
import { openTestBackend } from '../drivers/open-test-backend.ts';
import type { TestBackend } from '../drivers/test-backend.ts';

describe('WidgetEffects', () => {
  let store: TestBackend;
  beforeAll(async () => {
    store = await openTestBackend();
  });
  afterAll(() => store.dispose());
  const effects = () => store.backend.effects;

  const nextRun = async () => (await store.backend.runs.startRun()).run;

  async function stored(overrides: Partial<Widget> = {}) {
    const creation = aCreation(aWidget(overrides));
    await store.backend.widgets.insertOnce(creation);
    return creation;
  }

  function changeOf(widget: Widget, entries: readonly OutboxEntry[]): WidgetChange {
    const after = entries.at(-1)?.after;
    if (after === undefined) throw new Error('a change has an entry');
    return { widgetId: widget.id, fromVersion: widget.version, after, entries };
  }

  /** What a run that comes later finds. */
  async function found(widgetId: string) {
    const { claimed } = await effects().claim(await nextRun(), [widgetId]);
    return claimed[0];
  }

  describe('a claim', () => {
    it('returns the widgets with their outboxes and leaves out ids that no widget has', async () => {
      const [a, b] = [await stored(), await stored()];
      const unknown = randomUUID();
      const claim = await effects().claim(await nextRun(), [a.widget.id, unknown, b.widget.id]);
      expect(claim.claimed).toHaveLength(2);
      expect(claim.claimed).toEqual(
        expect.arrayContaining([a, b].map(({ widget, created }) => ({ widget, outbox: [created] }))),
      );
      expect(claim).toMatchObject({ superseded: [] });
    });

    it('of nothing is nothing', async () => {
      expect(await effects().claim(await nextRun(), [])).toEqual({ claimed: [], superseded: [] });
    });

    it('may be made again by the same run', async () => {
      const { widget } = await stored();
      const run = await nextRun();
      await effects().claim(run, [widget.id]);
      expect(await effects().claim(run, [widget.id])).toMatchObject({ claimed: [{ widget }], superseded: [] });
    });

    it('is refused to a run with a lower number, which changes nothing', async () => {
      const [claimed, free] = [await stored(), await stored()];
      const [low, high] = [await nextRun(), await nextRun()];
      await effects().claim(high, [claimed.widget.id]);
      const claim = await effects().claim(low, [claimed.widget.id, free.widget.id]);
      expect(claim.superseded).toEqual([claimed.widget.id]);
      expect(claim.claimed.map(({ widget }) => widget.id)).toEqual([free.widget.id]);
      const change = changeOf(claimed.widget, [anEntry(claimed.widget, 2)]);
      expect(await effects().apply(high, [change])).toEqual({ superseded: [], unstorable: [] });
    });

    it('reads nothing that a run with a lower number changes afterwards', async () => {
      const creations = await Promise.all(Array.from({ length: 100 }, () => stored()));
      const [low, high] = [await nextRun(), await nextRun()];
      await effects().claim(
        low,
        creations.map(({ widget }) => widget.id),
      );
      const outcomes = await Promise.all(
        creations.map(async ({ widget }, n) => {
          const change = changeOf(widget, [anEntry(widget, 2)]);
          const isAppliedFirst = n % 2 === 0;
          const first = isAppliedFirst ? effects().apply(low, [change]) : null;
          const claiming = effects().claim(high, [widget.id]);
          const { superseded } = await (first ?? effects().apply(low, [change]));
          const { claimed } = await claiming;
          return { read: claimed[0]?.widget.version, isWritten: superseded.length === 0 };
        }),
      );
      expect(outcomes).toEqual(outcomes.map(({ isWritten }) => ({ read: isWritten ? 2 : 1, isWritten })));
    });

    it('takes 256 widgets in one call', async () => {
      const creations = await Promise.all(Array.from({ length: 256 }, () => stored()));
      const ids = creations.map(({ widget }) => widget.id);
      const { claimed, superseded } = await effects().claim(await nextRun(), ids);
      expect(claimed.map(({ widget }) => widget.id).sort()).toEqual([...ids].sort());
      expect(superseded).toEqual([]);
    });

    it('survives a reopen', async () => {
      const { widget } = await stored();
      const [low, high] = [await nextRun(), await nextRun()];
      await effects().claim(high, [widget.id]);
      await store.reopen();
      expect(await effects().claim(low, [widget.id])).toMatchObject({ claimed: [], superseded: [widget.id] });
    });
  });

  describe('a change', () => {
    it('is written with its entries behind those that were there', async () => {
      const { widget, created } = await stored({ owner: { userId: randomUUID(), email: 'a@b.c', notify: true } });
      const run = await nextRun();
      await effects().claim(run, [widget.id]);
      const entries = [anEntry(widget, 2), anEntry(widget, 3)];
      const after: OutboxEntry['after'] = {
        state: 'retired',
        updatedAt: new Date('2026-04-01T00:00:00.001Z'),
        retiredAt: new Date('2026-04-01T00:00:00.002Z'),
        lastEventAt: new Date('2026-04-01T00:00:00.003Z'),
        version: 4,
      };
      const last = anEntry(widget, 4, { kind: 'retired', after });
      expect(await effects().apply(run, [changeOf(widget, [...entries, last])])).toEqual({
        superseded: [],
        unstorable: [],
      });
      expect(await store.backend.widgets.get(widget.id)).toEqual({ ...widget, ...after });
      expect(await found(widget.id)).toEqual({
        widget: { ...widget, ...after },
        outbox: [created, ...entries, last],
      });
      const later = anEntry(widget, 5, { after: { ...after, version: 5 } });
      const nextOne = await nextRun();
      await effects().claim(nextOne, [widget.id]);
      await effects().apply(nextOne, [changeOf({ ...widget, version: 4 }, [later])]);
      expect((await found(widget.id))?.outbox.map(({ after: { version } }) => version)).toEqual([1, 2, 3, 4, 5]);
    });

    it('shows in the lists by its state', async () => {
      const createdAt = new Date('1999-01-01T00:00:00.000Z');
      const { widget } = await stored({ createdAt });
      const run = await nextRun();
      await effects().claim(run, [widget.id]);
      const after = { ...anEntry(widget, 2).after, state: 'retired' as const, retiredAt: createdAt };
      await effects().apply(run, [changeOf(widget, [anEntry(widget, 2, { kind: 'retired', after })])]);
      const range = { offset: 0, limit: 10 };
      const list = (state: 'active' | 'retired') =>
        store.backend.widgets.list({ state, createdAtOrBefore: createdAt }, range);
      expect(await list('active')).toEqual([]);
      expect(await list('retired')).toEqual([{ ...widget, ...after }]);
    });

    it('leaves an idempotency key with its first body', async () => {
      const idempotency = { scope: randomUUID(), key: 'k', fingerprint: 'f', body: '{"version":1}' };
      const creation = aCreation(aWidget(), idempotency);
      await store.backend.widgets.insertOnce(creation);
      const run = await nextRun();
      await effects().claim(run, [creation.widget.id]);
      await effects().apply(run, [changeOf(creation.widget, [anEntry(creation.widget, 2)])]);
      expect(await store.backend.widgets.insertOnce(aCreation(aWidget(), idempotency))).toEqual({
        status: 'replayed',
        body: idempotency.body,
      });
    });

    it('keeps every member of its entries as it was', async () => {
      const { widget, created } = await stored();
      const run = await nextRun();
      await effects().claim(run, [widget.id]);
      const entries = [awkwardPayload, '{}', '', null, ...awkwardTexts].map((payload, index) =>
        anEntry(widget, index + 2, {
          payload,
          kind: (['created', 'updated', 'retired'] as const)[index % 3] ?? 'updated',
          occurredAt: '2026-03-01T10:00:00.123456789+00:00',
          receivedAt: new Date(1_764_000_000_000 + index),
          late: index % 2 === 0,
          stateBefore: index % 2 === 0 ? 'active' : 'retired',
        }),
      );
      expect(await effects().apply(run, [changeOf(widget, entries)])).toEqual({ superseded: [], unstorable: [] });
      expect((await found(widget.id))?.outbox).toEqual([created, ...entries]);
    });

    it.each([
      ['never claimed', async () => null],
      ['claimed by a higher run', async (id: string) => effects().claim(await nextRun(), [id])],
    ])('is refused for a widget that was %s, and changes nothing', async (_, meanwhile) => {
      const { widget, created } = await stored();
      const run = await nextRun();
      await meanwhile(widget.id);
      const change = changeOf(widget, [anEntry(widget, 2)]);
      expect(await effects().apply(run, [change])).toEqual({ superseded: [widget.id], unstorable: [] });
      expect(await found(widget.id)).toEqual({ widget, outbox: [created] });
    });

    it('is refused to a lower run that had the claim before, and to a higher one that has none', async () => {
      const { widget, created } = await stored();
      const [low, middle, high] = [await nextRun(), await nextRun(), await nextRun()];
      await effects().claim(low, [widget.id]);
      await effects().claim(middle, [widget.id]);
      const change = changeOf(widget, [anEntry(widget, 2)]);
      expect(await effects().apply(low, [change])).toEqual({ superseded: [widget.id], unstorable: [] });
      expect(await effects().apply(high, [change])).toEqual({ superseded: [widget.id], unstorable: [] });
      expect(await found(widget.id)).toEqual({ widget, outbox: [created] });
    });

    it.each([0, 2])(
      'is refused when it was computed from version %d instead of 1, and changes nothing',
      async (from) => {
        const { widget, created } = await stored();
        const run = await nextRun();
        await effects().claim(run, [widget.id]);
        const change = { ...changeOf(widget, [anEntry(widget, from + 1)]), fromVersion: from };
        expect(await effects().apply(run, [change])).toEqual({ superseded: [widget.id], unstorable: [] });
        expect(await found(widget.id)).toEqual({ widget, outbox: [created] });
      },
    );

    it('is refused for a widget that is not there', async () => {
      const widget = aWidget();
      const change = changeOf(widget, [anEntry(widget, 2)]);
      expect(await effects().apply(await nextRun(), [change])).toEqual({ superseded: [widget.id], unstorable: [] });
      expect(await store.backend.widgets.get(widget.id)).toBeNull();
    });

    it('that is refused does not hold up the others of its call', async () => {
      const [mine, other] = [await stored(), await stored()];
      const run = await nextRun();
      await effects().claim(run, [mine.widget.id, other.widget.id]);
      await effects().claim(await nextRun(), [other.widget.id]);
      const changes = [other, mine].map(({ widget }) => changeOf(widget, [anEntry(widget, 2)]));
      expect(await effects().apply(run, changes)).toEqual({ superseded: [other.widget.id], unstorable: [] });
      expect(await store.backend.widgets.get(mine.widget.id)).toMatchObject({ version: 2 });
      expect(await store.backend.widgets.get(other.widget.id)).toEqual(other.widget);
    });

    it('from one version takes place once, of many at once', async () => {
      const { widget, created } = await stored();
      const run = await nextRun();
      await effects().claim(run, [widget.id]);
      const entries = Array.from({ length: 10 }, () => anEntry(widget, 2));
      const outcomes = await Promise.all(entries.map((entry) => effects().apply(run, [changeOf(widget, [entry])])));
      const written = entries.filter((_, n) => outcomes[n]?.superseded.length === 0);
      expect(written).toHaveLength(1);
      expect((await found(widget.id))?.outbox).toEqual([created, ...written]);
    });

    it('may come with 255 others, or hold 256 entries', async () => {
      const creations = await Promise.all(Array.from({ length: 256 }, () => stored()));
      const run = await nextRun();
      const ids = creations.map(({ widget }) => widget.id);
      await effects().claim(run, ids);
      const changes = creations.map(({ widget }) => changeOf(widget, [anEntry(widget, 2)]));
      expect(await effects().apply(run, changes)).toEqual({ superseded: [], unstorable: [] });
      const hot = aWidget({ id: ids[0] ?? '', version: 2 });
      const entries = Array.from({ length: 256 }, (_, n) => anEntry(hot, n + 3));
      expect(await effects().apply(run, [changeOf(hot, entries)])).toEqual({ superseded: [], unstorable: [] });
      const { claimed } = await effects().claim(run, ids);
      const total = claimed.reduce((sum, { outbox }) => sum + outbox.length, 0);
      expect(total).toBe(256 * 2 + 256);
    });

    it('survives a reopen', async () => {
      const { widget, created } = await stored();
      const run = await nextRun();
      await effects().claim(run, [widget.id]);
      const entry = anEntry(widget, 2);
      await effects().apply(run, [changeOf(widget, [entry])]);
      await store.reopen();
      expect(await found(widget.id)).toEqual({ widget: { ...widget, ...entry.after }, outbox: [created, entry] });
    });
  });
});
