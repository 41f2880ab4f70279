import { randomUUID } from 'node:crypto';
import type { Widget } from '@widget-service/shared/domain/widget.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aCreation, anIdempotencyRecord, aWidget, awkwardTexts } from '../drivers/builders.ts';
import { openTestBackend } from '../drivers/open-test-backend.ts';
import type { TestBackend } from '../drivers/test-backend.ts';

const everything = { state: null, createdAtOrBefore: null };

describe('WidgetStore', () => {
  let store: TestBackend;
  beforeAll(async () => {
    store = await openTestBackend();
  });
  afterAll(() => store.dispose());
  const widgets = () => store.backend.widgets;

  async function outboxOf(widgetId: string) {
    const { run } = await store.backend.runs.startRun();
    const { claimed } = await store.backend.effects.claim(run, [widgetId]);
    return claimed[0]?.outbox;
  }

  describe('a stored widget', () => {
    it('comes back with every member as it was', async () => {
      const widget = aWidget({
        name: 'Pump 7',
        state: 'retired',
        labels: ['north', 'pump'],
        owner: { userId: randomUUID(), email: 'Owner@Example.org', notify: true },
        createdAt: new Date('2026-03-01T10:00:00.001Z'),
        updatedAt: new Date('2026-03-01T10:00:00.002Z'),
        retiredAt: new Date('2026-03-01T10:00:00.003Z'),
        lastEventAt: new Date('2026-03-01T10:00:00.004Z'),
        version: 3,
      });
      expect(await widgets().insertOnce(aCreation(widget))).toEqual({ status: 'created' });
      expect(await widgets().get(widget.id)).toEqual(widget);
    });

    it('keeps null where there is nothing', async () => {
      const widget = aWidget();
      await widgets().insertOnce(aCreation(widget));
      const found = await widgets().get(widget.id);
      expect(found).toEqual(widget);
      expect(found).toMatchObject({ owner: null, retiredAt: null, lastEventAt: null, labels: [] });
    });

    it.each(awkwardTexts)('keeps the text %j in every member', async (text) => {
      const widget = aWidget({
        name: text,
        labels: [text],
        owner: { userId: randomUUID(), email: text, notify: false },
      });
      await widgets().insertOnce(aCreation(widget));
      expect(await widgets().get(widget.id)).toEqual(widget);
    });

    it('has the event of its creation in its outbox', async () => {
      const creation = aCreation();
      await widgets().insertOnce(creation);
      expect(await outboxOf(creation.widget.id)).toEqual([creation.created]);
    });

    it('is null where the id is unknown', async () => {
      expect(await widgets().get(randomUUID())).toBeNull();
    });

    it('survives a reopen', async () => {
      const creation = aCreation(aWidget(), anIdempotencyRecord());
      await widgets().insertOnce(creation);
      await store.reopen();
      expect(await widgets().get(creation.widget.id)).toEqual(creation.widget);
      expect(await outboxOf(creation.widget.id)).toEqual([creation.created]);
      expect(await widgets().insertOnce({ ...aCreation(), idempotency: creation.idempotency })).toMatchObject({
        status: 'replayed',
      });
    });
  });

  describe('an idempotency key', () => {
    it('used again with the same fingerprint gives the first body, byte for byte, and stores nothing', async () => {
      const record = anIdempotencyRecord({ body: ` {"a.b":1.0,"$x":"\\u00e9 é 🦄","a.b":2}\n` });
      const first = aCreation(aWidget(), record);
      const second = aCreation(aWidget(), { ...record, body: 'another' });
      expect(await widgets().insertOnce(first)).toEqual({ status: 'created' });
      expect(await widgets().insertOnce(second)).toEqual({ status: 'replayed', body: record.body });
      expect(await widgets().get(second.widget.id)).toBeNull();
      expect(await outboxOf(second.widget.id)).toBeUndefined();
    });

    it('used again with another fingerprint is a conflict and stores nothing', async () => {
      const record = anIdempotencyRecord();
      const second = aCreation(aWidget(), { ...record, fingerprint: 'e'.repeat(64) });
      await widgets().insertOnce(aCreation(aWidget(), record));
      expect(await widgets().insertOnce(second)).toEqual({ status: 'conflict' });
      expect(await widgets().get(second.widget.id)).toBeNull();
      expect(await widgets().insertOnce(aCreation(aWidget(), record))).toMatchObject({ status: 'replayed' });
    });

    it('of another scope, or in another case, is another key', async () => {
      const record = anIdempotencyRecord({ key: 'Key' });
      for (const each of [record, { ...record, scope: randomUUID() }, { ...record, key: 'key' }]) {
        expect(await widgets().insertOnce(aCreation(aWidget(), each))).toEqual({ status: 'created' });
      }
    });

    it.each(awkwardTexts)('may be %j', async (key) => {
      const record = anIdempotencyRecord({ key, scope: `scope ${key}` });
      expect(await widgets().insertOnce(aCreation(aWidget(), record))).toEqual({ status: 'created' });
      expect(await widgets().insertOnce(aCreation(aWidget(), record))).toEqual({
        status: 'replayed',
        body: record.body,
      });
    });

    it('is not needed: without one every insert creates', async () => {
      for (const creation of [aCreation(), aCreation()]) {
        expect(await widgets().insertOnce(creation)).toEqual({ status: 'created' });
      }
    });

    it('creates once for 50 at once, and gives the others the same body', async () => {
      const record = anIdempotencyRecord();
      const creations = Array.from({ length: 50 }, (_, n) => aCreation(aWidget(), { ...record, body: `body ${n}` }));
      const outcomes = await Promise.all(creations.map((creation) => widgets().insertOnce(creation)));
      const winners = creations.filter((_, n) => outcomes[n]?.status === 'created');
      expect(winners).toHaveLength(1);
      const replays = outcomes.filter((outcome) => outcome.status !== 'created');
      expect(replays).toEqual(Array(49).fill({ status: 'replayed', body: winners[0]?.idempotency?.body }));
      const stored = await Promise.all(creations.map(({ widget }) => widgets().get(widget.id)));
      expect(stored.filter((widget) => widget !== null)).toEqual([winners[0]?.widget]);
    });

    it('creates once for 50 at once with two fingerprints: the other one is a conflict', async () => {
      const record = anIdempotencyRecord();
      const fingerprints = ['a'.repeat(64), 'b'.repeat(64)] as const;
      const creations = Array.from({ length: 50 }, (_, n) =>
        aCreation(aWidget(), { ...record, fingerprint: fingerprints[n % 2] ?? '' }),
      );
      const outcomes = await Promise.all(creations.map((creation) => widgets().insertOnce(creation)));
      const winner = creations.find((_, n) => outcomes[n]?.status === 'created');
      for (const [n, creation] of creations.entries()) {
        const isSame = creation.idempotency?.fingerprint === winner?.idempotency?.fingerprint;
        const expected = creation === winner ? 'created' : isSame ? 'replayed' : 'conflict';
        expect(outcomes[n]?.status).toBe(expected);
      }
    });
  });

  describe('a list', () => {
    // Lists see the whole store, so these widgets live in one of their own.
    let own: TestBackend;
    const at = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms);
    const rows: Widget[] = [];
    beforeAll(async () => {
      own = await openTestBackend();
      for (let n = 0; n < 30; n += 1) {
        // Three widgets share each time, and every fifth is retired.
        const createdAt = at(Math.floor(n / 3));
        rows.push(aWidget({ createdAt, ...(n % 5 === 0 ? { state: 'retired', retiredAt: createdAt } : {}) }));
      }
      const shuffled = rows.map((_, n) => rows[(n * 7) % 30] ?? aWidget());
      for (const widget of shuffled) await own.backend.widgets.insertOnce(aCreation(widget));
      rows.sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1));
    });
    afterAll(() => own.dispose());

    it('is ordered by createdAt and then by id, both falling', async () => {
      expect(await own.backend.widgets.list(everything, { offset: 0, limit: 100 })).toEqual(rows);
    });

    it('is cut by offset and limit', async () => {
      expect(await own.backend.widgets.list(everything, { offset: 7, limit: 11 })).toEqual(rows.slice(7, 18));
      expect(await own.backend.widgets.list(everything, { offset: 25, limit: 11 })).toEqual(rows.slice(25));
      expect(await own.backend.widgets.list(everything, { offset: 30, limit: 11 })).toEqual([]);
      expect(await own.backend.widgets.list(everything, { offset: 2_147_483_646 * 200, limit: 200 })).toEqual([]);
    });

    it.each(['active', 'retired'] as const)('holds only those that are %s when asked to', async (state) => {
      const matching = rows.filter((widget) => widget.state === state);
      const filter = { state, createdAtOrBefore: null };
      expect(await own.backend.widgets.list(filter, { offset: 0, limit: 100 })).toEqual(matching);
      expect(await own.backend.widgets.count(filter, 1000)).toBe(matching.length);
    });

    it('holds only those created at or before a time, to the millisecond', async () => {
      for (const state of [null, 'active', 'retired'] as const) {
        const filter = { state, createdAtOrBefore: at(4) };
        const matching = rows.filter((row) => row.createdAt <= at(4) && (state === null || row.state === state));
        expect(await own.backend.widgets.list(filter, { offset: 0, limit: 100 })).toEqual(matching);
        expect(await own.backend.widgets.count(filter, 1000)).toBe(matching.length);
      }
    });

    it('is counted up to a bound and no further', async () => {
      expect(await own.backend.widgets.count(everything, 1000)).toBe(30);
      expect(await own.backend.widgets.count(everything, 30)).toBe(30);
      expect(await own.backend.widgets.count(everything, 12)).toBe(12);
      expect(await own.backend.widgets.count({ state: null, createdAtOrBefore: at(-1) }, 12)).toBe(0);
    });
  });
});
