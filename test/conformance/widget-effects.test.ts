import { randomUUID } from 'node:crypto';
import type { OutboxEntry } from '@widget-service/shared/domain/outbox-entry.ts';
import type { Widget } from '@widget-service/shared/domain/widget.ts';
import type { WidgetChange } from '@widget-service/shared/ports/widget-store.ts';
import { describe, expect, test } from 'vitest';
import { aCreation, anEntry, aWidget, awkwardPayload, awkwardTexts } from '../drivers/app/builders.ts';
import { openSharedBackend } from '../drivers/app/open-shared.ts';

const testBackend = await openSharedBackend();
const effects = () => testBackend.backend.effects;

async function insertWidget(overrides: Partial<Widget> = {}) {
  const creation = aCreation(aWidget(overrides));
  await testBackend.backend.widgets.insertOnce(creation);
  return creation;
}

function buildChange(widget: Widget, entries: readonly OutboxEntry[]): WidgetChange {
  const after = entries.at(-1)?.after;
  if (after === undefined) throw new Error('A change needs at least one entry.');
  return { widgetId: widget.id, fromVersion: widget.version, after, entries };
}

const load = async (widgetId: string) => (await effects().load([widgetId]))[0];
const written = { superseded: false, unstorable: [] };
const superseded = { superseded: true, unstorable: [] };

describe('WidgetEffects.load', () => {
  test('returns the widgets with their outboxes, and leaves out unknown ids', async () => {
    const [a, b] = [await insertWidget(), await insertWidget()];
    const loaded = await effects().load([a.widget.id, randomUUID(), b.widget.id]);
    expect(loaded).toHaveLength(2);
    expect(loaded).toEqual(
      expect.arrayContaining([a, b].map(({ widget, created }) => ({ widget, outbox: [created] }))),
    );
  });

  test('accepts an empty list', async () => {
    expect(await effects().load([])).toEqual([]);
  });

  test('accepts 256 widgets in one call', async () => {
    const creations = await Promise.all(Array.from({ length: 256 }, () => insertWidget()));
    const ids = creations.map(({ widget }) => widget.id);
    const loaded = await effects().load(ids);
    expect(loaded.map(({ widget }) => widget.id).sort()).toEqual([...ids].sort());
  });

  test('reads a write that was confirmed before', async () => {
    const creations = await Promise.all(Array.from({ length: 50 }, () => insertWidget()));
    const read = await Promise.all(
      creations.map(async ({ widget }) => {
        await effects().apply([buildChange(widget, [anEntry(widget, 2)])]);
        return (await load(widget.id))?.widget.version;
      }),
    );
    expect(read).toEqual(creations.map(() => 2));
  });
});

describe('WidgetEffects.apply', () => {
  test('writes the change and appends its entries to the outbox', async () => {
    const { widget, created } = await insertWidget({ owner: { userId: randomUUID(), email: 'a@b.c', notify: true } });
    const entries = [anEntry(widget, 2), anEntry(widget, 3)];
    const after: OutboxEntry['after'] = {
      state: 'retired',
      updatedAt: new Date('2026-04-01T00:00:00.001Z'),
      retiredAt: new Date('2026-04-01T00:00:00.002Z'),
      lastEventAt: new Date('2026-04-01T00:00:00.003Z'),
      version: 4,
    };
    const retirement = anEntry(widget, 4, { kind: 'retired', after });
    expect(await effects().apply([buildChange(widget, [...entries, retirement])])).toEqual(written);
    expect(await testBackend.backend.widgets.get(widget.id)).toEqual({ ...widget, ...after });
    expect(await load(widget.id)).toEqual({
      widget: { ...widget, ...after },
      outbox: [created, ...entries, retirement],
    });
    const lastEntry = anEntry(widget, 5, { after: { ...after, version: 5 } });
    await effects().apply([buildChange({ ...widget, version: 4 }, [lastEntry])]);
    expect((await load(widget.id))?.outbox.map(({ after: { version } }) => version)).toEqual([1, 2, 3, 4, 5]);
  });

  test('moves a retired widget from the active to the retired list', async () => {
    const createdAt = new Date('1999-01-01T00:00:00.000Z');
    const { widget } = await insertWidget({ createdAt });
    const after = { ...anEntry(widget, 2).after, state: 'retired' as const, retiredAt: createdAt };
    await effects().apply([buildChange(widget, [anEntry(widget, 2, { kind: 'retired', after })])]);
    const range = { offset: 0, limit: 10 };
    const list = (state: 'active' | 'retired') =>
      testBackend.backend.widgets.list({ state, createdAtOrBefore: createdAt }, range);
    expect(await list('active')).toEqual([]);
    expect(await list('retired')).toEqual([{ ...widget, ...after }]);
  });

  test('keeps the body of the idempotency key', async () => {
    const idempotency = { scope: randomUUID(), key: 'k', fingerprint: 'f', body: '{"version":1}' };
    const creation = aCreation(aWidget(), idempotency);
    await testBackend.backend.widgets.insertOnce(creation);
    await effects().apply([buildChange(creation.widget, [anEntry(creation.widget, 2)])]);
    expect(await testBackend.backend.widgets.insertOnce(aCreation(aWidget(), idempotency))).toEqual({
      status: 'replayed',
      widgetId: creation.widget.id,
      body: idempotency.body,
    });
  });

  test('keeps every member of the entries unchanged', async () => {
    const { widget, created } = await insertWidget();
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
    expect(await effects().apply([buildChange(widget, entries)])).toEqual(written);
    expect((await load(widget.id))?.outbox).toEqual([created, ...entries]);
  });

  test('writes nothing the second time, and says that it is superseded', async () => {
    const { widget, created } = await insertWidget();
    const entry = anEntry(widget, 2);
    const change = buildChange(widget, [entry]);
    expect(await effects().apply([change])).toEqual(written);
    expect(await effects().apply([change])).toEqual(superseded);
    expect((await load(widget.id))?.outbox).toEqual([created, entry]);
  });

  test.each([0, 2])('is superseded if the change is from version %d, not 1', async (fromVersion) => {
    const { widget, created } = await insertWidget();
    const change = { ...buildChange(widget, [anEntry(widget, fromVersion + 1)]), fromVersion };
    expect(await effects().apply([change])).toEqual(superseded);
    expect(await load(widget.id)).toEqual({ widget, outbox: [created] });
  });

  test('is superseded if a widget is unknown', async () => {
    const widget = aWidget();
    const change = buildChange(widget, [anEntry(widget, 2)]);
    expect(await effects().apply([change])).toEqual(superseded);
    expect(await testBackend.backend.widgets.get(widget.id)).toBeNull();
  });

  test('writes the other changes of a call when one is superseded', async () => {
    const [changed, current] = [await insertWidget(), await insertWidget()];
    await effects().apply([buildChange(changed.widget, [anEntry(changed.widget, 2)])]);
    const changes = [changed, current].map(({ widget }) => buildChange(widget, [anEntry(widget, 2)]));
    expect(await effects().apply(changes)).toEqual(superseded);
    expect(await testBackend.backend.widgets.get(current.widget.id)).toMatchObject({ version: 2 });
    expect((await load(changed.widget.id))?.outbox).toHaveLength(2);
  });

  test('writes exactly one of ten concurrent changes from the same version', async () => {
    const { widget, created } = await insertWidget();
    const entries = Array.from({ length: 10 }, () => anEntry(widget, 2));
    const outcomes = await Promise.all(entries.map((entry) => effects().apply([buildChange(widget, [entry])])));
    const writers = entries.filter((_, n) => outcomes[n]?.superseded === false);
    expect(writers).toHaveLength(1);
    expect((await load(widget.id))?.outbox).toEqual([created, ...writers]);
  });

  test('accepts 256 changes in one call, and 256 entries in one change', async () => {
    const creations = await Promise.all(Array.from({ length: 256 }, () => insertWidget()));
    const ids = creations.map(({ widget }) => widget.id);
    const changes = creations.map(({ widget }) => buildChange(widget, [anEntry(widget, 2)]));
    expect(await effects().apply(changes)).toEqual(written);
    const busyWidget = aWidget({ id: ids[0] ?? '', version: 2 });
    const entries = Array.from({ length: 256 }, (_, n) => anEntry(busyWidget, n + 3));
    expect(await effects().apply([buildChange(busyWidget, entries)])).toEqual(written);
    const loaded = await effects().load(ids);
    const total = loaded.reduce((sum, { outbox }) => sum + outbox.length, 0);
    expect(total).toBe(256 * 2 + 256);
  });

  test('keeps the change and its entries across a reopen', async () => {
    const { widget, created } = await insertWidget();
    const entry = anEntry(widget, 2);
    await effects().apply([buildChange(widget, [entry])]);
    await testBackend.reopen();
    expect(await load(widget.id)).toEqual({
      widget: { ...widget, ...entry.after },
      outbox: [created, entry],
    });
  });
});
