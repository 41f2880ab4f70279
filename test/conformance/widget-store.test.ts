import { randomUUID } from 'node:crypto';
import type { Widget } from '@widget-service/shared/domain/widget.ts';
import { describe, expect, test } from 'vitest';
import { aCreation, anIdempotencyRecord, aWidget, awkwardTexts } from '../drivers/app/builders.ts';
import { openSharedBackend } from '../drivers/app/open-shared.ts';

const noFilter = { state: null, createdAtOrBefore: null };

const testBackend = await openSharedBackend();
const widgets = () => testBackend.backend.widgets;

async function readOutbox(widgetId: string) {
  const [loaded] = await testBackend.backend.effects.load([widgetId]);
  return loaded?.outbox;
}

describe('WidgetStore.get', () => {
  test('returns every member unchanged', async () => {
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

  test('returns null for members without a value', async () => {
    const widget = aWidget();
    await widgets().insertOnce(aCreation(widget));
    const stored = await widgets().get(widget.id);
    expect(stored).toEqual(widget);
    expect(stored).toMatchObject({ owner: null, retiredAt: null, lastEventAt: null, labels: [] });
  });

  test.each(awkwardTexts)('returns the text %j unchanged in every member', async (text) => {
    const widget = aWidget({
      name: text,
      labels: [text],
      owner: { userId: randomUUID(), email: text, notify: false },
    });
    await widgets().insertOnce(aCreation(widget));
    expect(await widgets().get(widget.id)).toEqual(widget);
  });

  test('returns null for an unknown id', async () => {
    expect(await widgets().get(randomUUID())).toBeNull();
  });

  test('returns a widget after a reopen, with its outbox and idempotency record', async () => {
    const creation = aCreation(aWidget(), anIdempotencyRecord());
    await widgets().insertOnce(creation);
    await testBackend.reopen();
    expect(await widgets().get(creation.widget.id)).toEqual(creation.widget);
    expect(await readOutbox(creation.widget.id)).toEqual([creation.created]);
    expect(await widgets().insertOnce({ ...aCreation(), idempotency: creation.idempotency })).toEqual({
      status: 'replayed',
      widgetId: creation.widget.id,
      body: creation.idempotency?.body,
    });
  });
});

describe('WidgetStore.insertOnce', () => {
  test('stores the event of the creation in the outbox', async () => {
    const creation = aCreation();
    await widgets().insertOnce(creation);
    expect(await readOutbox(creation.widget.id)).toEqual([creation.created]);
  });

  test('returns the first widget and body, byte for byte, for a known key with the same fingerprint', async () => {
    const record = anIdempotencyRecord({ body: ` {"a.b":1.0,"$x":"\\u00e9 é 🦄","a.b":2}\n` });
    const first = aCreation(aWidget(), record);
    const second = aCreation(aWidget(), { ...record, body: 'another' });
    expect(await widgets().insertOnce(first)).toEqual({ status: 'created' });
    expect(await widgets().insertOnce(second)).toEqual({
      status: 'replayed',
      widgetId: first.widget.id,
      body: record.body,
    });
    expect(await widgets().get(second.widget.id)).toBeNull();
    expect(await readOutbox(second.widget.id)).toBeUndefined();
  });

  test('returns conflict for a known key with another fingerprint, and stores nothing', async () => {
    const record = anIdempotencyRecord();
    const second = aCreation(aWidget(), { ...record, fingerprint: 'e'.repeat(64) });
    await widgets().insertOnce(aCreation(aWidget(), record));
    expect(await widgets().insertOnce(second)).toEqual({ status: 'conflict' });
    expect(await widgets().get(second.widget.id)).toBeNull();
    expect(await widgets().insertOnce(aCreation(aWidget(), record))).toMatchObject({ status: 'replayed' });
  });

  test('treats a key of another scope, or in another case, as another key', async () => {
    const record = anIdempotencyRecord({ key: 'Key' });
    for (const idempotency of [record, { ...record, scope: randomUUID() }, { ...record, key: 'key' }]) {
      expect(await widgets().insertOnce(aCreation(aWidget(), idempotency))).toEqual({ status: 'created' });
    }
  });

  test.each(awkwardTexts)('accepts the key %j', async (key) => {
    const record = anIdempotencyRecord({ key, scope: `scope ${key}` });
    const first = aCreation(aWidget(), record);
    expect(await widgets().insertOnce(first)).toEqual({ status: 'created' });
    expect(await widgets().insertOnce(aCreation(aWidget(), record))).toEqual({
      status: 'replayed',
      widgetId: first.widget.id,
      body: record.body,
    });
  });

  test('creates a widget for every insert without a key', async () => {
    for (const creation of [aCreation(), aCreation()]) {
      expect(await widgets().insertOnce(creation)).toEqual({ status: 'created' });
    }
  });

  test('creates once for 50 concurrent inserts, and returns the same widget id and body to the others', async () => {
    const record = anIdempotencyRecord();
    const creations = Array.from({ length: 50 }, (_, n) => aCreation(aWidget(), { ...record, body: `body ${n}` }));
    const outcomes = await Promise.all(creations.map((creation) => widgets().insertOnce(creation)));
    const winners = creations.filter((_, n) => outcomes[n]?.status === 'created');
    expect(winners).toHaveLength(1);
    const replays = outcomes.filter((outcome) => outcome.status !== 'created');
    expect(replays).toEqual(
      Array(49).fill({
        status: 'replayed',
        widgetId: winners[0]?.widget.id,
        body: winners[0]?.idempotency?.body,
      }),
    );
    const stored = await Promise.all(creations.map(({ widget }) => widgets().get(widget.id)));
    expect(stored.filter((widget) => widget !== null)).toEqual([winners[0]?.widget]);
  });

  test('returns conflict to concurrent inserts with the losing fingerprint', async () => {
    const record = anIdempotencyRecord();
    const fingerprints = ['a'.repeat(64), 'b'.repeat(64)] as const;
    const creations = Array.from({ length: 50 }, (_, n) =>
      aCreation(aWidget(), { ...record, fingerprint: fingerprints[n % 2] ?? '' }),
    );
    const outcomes = await Promise.all(creations.map((creation) => widgets().insertOnce(creation)));
    const winner = creations.find((_, n) => outcomes[n]?.status === 'created');
    for (const [n, creation] of creations.entries()) {
      const hasSameFingerprint = creation.idempotency?.fingerprint === winner?.idempotency?.fingerprint;
      const expected = creation === winner ? 'created' : hasSameFingerprint ? 'replayed' : 'conflict';
      expect(outcomes[n]?.status).toBe(expected);
    }
  });
});

describe('WidgetStore.list and count', async () => {
  const at = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms);
  const rows: Widget[] = [];
  // A list covers the whole store, so these widgets are in a backend of their own.
  const listBackend = await openSharedBackend();
  for (let n = 0; n < 30; n += 1) {
    // Three widgets share each time, and every fifth is retired.
    const createdAt = at(Math.floor(n / 3));
    rows.push(aWidget({ createdAt, ...(n % 5 === 0 ? { state: 'retired', retiredAt: createdAt } : {}) }));
  }
  const shuffled = rows.map((_, n) => rows[(n * 7) % 30] ?? aWidget());
  for (const widget of shuffled) await listBackend.backend.widgets.insertOnce(aCreation(widget));
  rows.sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1));

  test('orders widgets by createdAt, then by id, both descending', async () => {
    expect(await listBackend.backend.widgets.list(noFilter, { offset: 0, limit: 100 })).toEqual(rows);
  });

  test('returns the range of offset and limit', async () => {
    expect(await listBackend.backend.widgets.list(noFilter, { offset: 7, limit: 11 })).toEqual(rows.slice(7, 18));
    expect(await listBackend.backend.widgets.list(noFilter, { offset: 25, limit: 11 })).toEqual(rows.slice(25));
    expect(await listBackend.backend.widgets.list(noFilter, { offset: 30, limit: 11 })).toEqual([]);
    expect(await listBackend.backend.widgets.list(noFilter, { offset: 2_147_483_646 * 200, limit: 200 })).toEqual([]);
  });

  test.each(['active', 'retired'] as const)('returns and counts only %s widgets', async (state) => {
    const matching = rows.filter((widget) => widget.state === state);
    const filter = { state, createdAtOrBefore: null };
    expect(await listBackend.backend.widgets.list(filter, { offset: 0, limit: 100 })).toEqual(matching);
    expect(await listBackend.backend.widgets.count(filter, 1000)).toBe(matching.length);
  });

  test('returns and counts only widgets created at or before a time, to the millisecond', async () => {
    for (const state of [null, 'active', 'retired'] as const) {
      const filter = { state, createdAtOrBefore: at(4) };
      const matching = rows.filter((row) => row.createdAt <= at(4) && (state === null || row.state === state));
      expect(await listBackend.backend.widgets.list(filter, { offset: 0, limit: 100 })).toEqual(matching);
      expect(await listBackend.backend.widgets.count(filter, 1000)).toBe(matching.length);
    }
  });

  test('counts up to atMost', async () => {
    expect(await listBackend.backend.widgets.count(noFilter, 1000)).toBe(30);
    expect(await listBackend.backend.widgets.count(noFilter, 30)).toBe(30);
    expect(await listBackend.backend.widgets.count(noFilter, 12)).toBe(12);
    expect(await listBackend.backend.widgets.count({ state: null, createdAtOrBefore: at(-1) }, 12)).toBe(0);
  });
});
