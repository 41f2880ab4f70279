import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aCreation, aDelivery, anEntry } from '../drivers/builders.ts';
import { openTestBackend } from '../drivers/open-test-backend.ts';
import type { TestBackend } from '../drivers/test-backend.ts';

const poison = '{"reading":"poison"}';

let store: TestBackend;
beforeAll(async () => {
  store = await openTestBackend();
  await store.refusePayloads('outbox', 'poison');
  await store.refusePayloads('ledger', 'poison');
});
afterAll(() => store.dispose());

describe('WidgetEffects, with a change that the store will never take', () => {
  /** Claimed widgets, each with a change of one hook. */
  async function claimed(...payloads: readonly string[]) {
    const { effects, runs, widgets } = store.backend;
    const creations = payloads.map(() => aCreation());
    for (const creation of creations) await widgets.insertOnce(creation);
    const { run } = await runs.startRun();
    await effects.claim(
      run,
      creations.map(({ widget }) => widget.id),
    );
    const changes = creations.map(({ widget }, index) => {
      const entry = anEntry(widget, 2, { payload: payloads[index] ?? null });
      return { widgetId: widget.id, fromVersion: 1, after: entry.after, entries: [entry] };
    });
    return { run, changes, ids: creations.map(({ widget }) => widget.id) };
  }

  const versionOf = async (id: string | undefined) => (await store.backend.widgets.get(id ?? ''))?.version;

  it('leaves that widget as it is, and changes the others', async () => {
    const { run, changes, ids } = await claimed('{}', poison, '{"a":1}');
    expect(await store.backend.effects.apply(run, changes)).toEqual({ superseded: [], unstorable: [ids[1]] });
    expect(await Promise.all(ids.map(versionOf))).toEqual([2, 1, 2]);
    const again = await store.backend.effects.claim(run, ids);
    const outboxes = new Map(again.claimed.map(({ widget, outbox }) => [widget.id, outbox.length]));
    expect(ids.map((id) => outboxes.get(id))).toEqual([2, 1, 2]);
  });

  it('tells it when it comes alone, and when all are so', async () => {
    const one = await claimed(poison);
    expect(await store.backend.effects.apply(one.run, one.changes)).toEqual({ superseded: [], unstorable: one.ids });
    const { run, changes, ids } = await claimed(poison, poison);
    expect(await store.backend.effects.apply(run, changes)).toEqual({ superseded: [], unstorable: ids });
  });

  it('tells it apart from a widget that a later run has claimed', async () => {
    const { run, changes, ids } = await claimed('{}', poison, '{}');
    const { run: next } = await store.backend.runs.startRun();
    await store.backend.effects.claim(next, [ids[2] ?? '']);
    expect(await store.backend.effects.apply(run, changes)).toEqual({ superseded: [ids[2]], unstorable: [ids[1]] });
    expect(await Promise.all(ids.map(versionOf))).toEqual([2, 1, 1]);
  });

  it('takes a change with the same widget’s other hooks afterwards', async () => {
    const { run, changes, ids } = await claimed(poison);
    await store.backend.effects.apply(run, changes);
    const good = changes.map((change) => ({
      ...change,
      entries: change.entries.map((entry) => ({ ...entry, payload: '{}' })),
    }));
    expect(await store.backend.effects.apply(run, good)).toEqual({ superseded: [], unstorable: [] });
    expect(await versionOf(ids[0])).toBe(2);
  });
});

describe('DeliveryLedger, with a delivery that the store will never take', () => {
  it('makes no row for it, and takes the others', async () => {
    const { ledger } = store.backend;
    const known = aDelivery();
    const done = aDelivery();
    await ledger.register([known, done]);
    await ledger.markPublished([{ eventId: done.eventId, position: null }], new Date());
    const [bad, good] = [aDelivery({ payload: poison }), aDelivery()];
    expect(await ledger.register([bad, known, good, done])).toEqual({
      duplicates: [done.eventId],
      unstorable: [bad.eventId],
    });
    expect(await ledger.get(bad.eventId)).toBeNull();
    expect(await ledger.get(good.eventId)).toMatchObject({ state: 'received', attempts: 1 });
    expect(await ledger.get(known.eventId)).toMatchObject({ state: 'received', attempts: 2 });
    expect(await ledger.get(done.eventId)).toMatchObject({ state: 'published', duplicates: 1 });
  });

  it('tells it when it comes alone', async () => {
    const bad = aDelivery({ payload: poison });
    expect(await store.backend.ledger.register([bad])).toEqual({ duplicates: [], unstorable: [bad.eventId] });
  });

  it('does not take it as a dead letter either', async () => {
    const bad = aDelivery({ payload: poison });
    await expect(store.backend.ledger.markDead(bad, 'store-refused')).rejects.toMatchObject({
      name: 'StoreRefusedError',
    });
  });
});
