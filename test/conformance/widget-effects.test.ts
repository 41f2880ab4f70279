import { randomUUID } from 'node:crypto';
import type { OutboxEntry } from '@widget-service/shared/domain/outbox-entry.ts';
import type { Widget } from '@widget-service/shared/domain/widget.ts';
import type { WidgetChange } from '@widget-service/shared/ports/widget-effects.ts';
import { describe, expect, test } from 'vitest';
import { aCreation, anEntry, aWidget, awkwardPayload, awkwardTexts } from '../drivers/app/builders.ts';
import { openSharedBackend } from '../drivers/app/open-shared.ts';

const testBackend = await openSharedBackend();
const effects = () => testBackend.backend.effects;

const startRun = async () => (await testBackend.backend.runs.startRun()).run;

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

/** Reads a widget and its outbox, as a new run claims them. */
async function claimWithNewRun(widgetId: string) {
  const { claimed } = await effects().claim(await startRun(), [widgetId]);
  return claimed[0];
}

describe('WidgetEffects.claim', () => {
  test('returns the widgets with their outboxes, and leaves out unknown ids', async () => {
    const [a, b] = [await insertWidget(), await insertWidget()];
    const unknown = randomUUID();
    const claim = await effects().claim(await startRun(), [a.widget.id, unknown, b.widget.id]);
    expect(claim.claimed).toHaveLength(2);
    expect(claim.claimed).toEqual(
      expect.arrayContaining([a, b].map(({ widget, created }) => ({ widget, outbox: [created] }))),
    );
    expect(claim).toMatchObject({ superseded: [] });
  });

  test('accepts an empty list', async () => {
    expect(await effects().claim(await startRun(), [])).toEqual({ claimed: [], superseded: [] });
  });

  test('may be repeated by the same run', async () => {
    const { widget } = await insertWidget();
    const run = await startRun();
    await effects().claim(run, [widget.id]);
    expect(await effects().claim(run, [widget.id])).toMatchObject({ claimed: [{ widget }], superseded: [] });
  });

  test('returns as superseded what a higher run claimed, and leaves its fence unchanged', async () => {
    const [claimed, free] = [await insertWidget(), await insertWidget()];
    const [low, high] = [await startRun(), await startRun()];
    await effects().claim(high, [claimed.widget.id]);
    const claim = await effects().claim(low, [claimed.widget.id, free.widget.id]);
    expect(claim.superseded).toEqual([claimed.widget.id]);
    expect(claim.claimed.map(({ widget }) => widget.id)).toEqual([free.widget.id]);
    const change = buildChange(claimed.widget, [anEntry(claimed.widget, 2)]);
    expect(await effects().apply(high, [change])).toEqual({ superseded: [], unstorable: [] });
  });

  test.each([0, 1])('reads a write of a lower run, or supersedes it, beside %i unknown ids', async (count) => {
    const unknownIds = Array.from({ length: count }, () => randomUUID());
    const creations = await Promise.all(Array.from({ length: 100 }, () => insertWidget()));
    const [low, high] = [await startRun(), await startRun()];
    const ids = creations.map(({ widget }) => widget.id);
    await effects().claim(low, ids);
    const outcomes = await Promise.all(
      creations.map(async ({ widget }, n) => {
        const change = buildChange(widget, [anEntry(widget, 2)]);
        const isAppliedFirst = n % 2 === 0;
        const first = isAppliedFirst ? effects().apply(low, [change]) : null;
        const claiming = effects().claim(high, [widget.id, ...unknownIds]);
        const { superseded } = await (first ?? effects().apply(low, [change]));
        const { claimed } = await claiming;
        return { read: claimed[0]?.widget.version, isWritten: superseded.length === 0 };
      }),
    );
    expect(outcomes).toEqual(outcomes.map(({ isWritten }) => ({ read: isWritten ? 2 : 1, isWritten })));
  });

  test('accepts 256 widgets in one call', async () => {
    const creations = await Promise.all(Array.from({ length: 256 }, () => insertWidget()));
    const ids = creations.map(({ widget }) => widget.id);
    const { claimed, superseded } = await effects().claim(await startRun(), ids);
    expect(claimed.map(({ widget }) => widget.id).sort()).toEqual([...ids].sort());
    expect(superseded).toEqual([]);
  });

  test('keeps the fence across a reopen', async () => {
    const { widget } = await insertWidget();
    const [low, high] = [await startRun(), await startRun()];
    await effects().claim(high, [widget.id]);
    await testBackend.reopen();
    expect(await effects().claim(low, [widget.id])).toMatchObject({ claimed: [], superseded: [widget.id] });
  });
});

describe('WidgetEffects.apply', () => {
  test('writes the change and appends its entries to the outbox', async () => {
    const { widget, created } = await insertWidget({ owner: { userId: randomUUID(), email: 'a@b.c', notify: true } });
    const run = await startRun();
    await effects().claim(run, [widget.id]);
    const entries = [anEntry(widget, 2), anEntry(widget, 3)];
    const after: OutboxEntry['after'] = {
      state: 'retired',
      updatedAt: new Date('2026-04-01T00:00:00.001Z'),
      retiredAt: new Date('2026-04-01T00:00:00.002Z'),
      lastEventAt: new Date('2026-04-01T00:00:00.003Z'),
      version: 4,
    };
    const retirement = anEntry(widget, 4, { kind: 'retired', after });
    expect(await effects().apply(run, [buildChange(widget, [...entries, retirement])])).toEqual({
      superseded: [],
      unstorable: [],
    });
    expect(await testBackend.backend.widgets.get(widget.id)).toEqual({ ...widget, ...after });
    expect(await claimWithNewRun(widget.id)).toEqual({
      widget: { ...widget, ...after },
      outbox: [created, ...entries, retirement],
    });
    const lastEntry = anEntry(widget, 5, { after: { ...after, version: 5 } });
    const laterRun = await startRun();
    await effects().claim(laterRun, [widget.id]);
    await effects().apply(laterRun, [buildChange({ ...widget, version: 4 }, [lastEntry])]);
    expect((await claimWithNewRun(widget.id))?.outbox.map(({ after: { version } }) => version)).toEqual([
      1, 2, 3, 4, 5,
    ]);
  });

  test('moves a retired widget from the active to the retired list', async () => {
    const createdAt = new Date('1999-01-01T00:00:00.000Z');
    const { widget } = await insertWidget({ createdAt });
    const run = await startRun();
    await effects().claim(run, [widget.id]);
    const after = { ...anEntry(widget, 2).after, state: 'retired' as const, retiredAt: createdAt };
    await effects().apply(run, [buildChange(widget, [anEntry(widget, 2, { kind: 'retired', after })])]);
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
    const run = await startRun();
    await effects().claim(run, [creation.widget.id]);
    await effects().apply(run, [buildChange(creation.widget, [anEntry(creation.widget, 2)])]);
    expect(await testBackend.backend.widgets.insertOnce(aCreation(aWidget(), idempotency))).toEqual({
      status: 'replayed',
      widgetId: creation.widget.id,
      body: idempotency.body,
    });
  });

  test('keeps every member of the entries unchanged', async () => {
    const { widget, created } = await insertWidget();
    const run = await startRun();
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
    expect(await effects().apply(run, [buildChange(widget, entries)])).toEqual({ superseded: [], unstorable: [] });
    expect((await claimWithNewRun(widget.id))?.outbox).toEqual([created, ...entries]);
  });

  test.each([
    ['no run has claimed', async () => null],
    ['a higher run has claimed', async (id: string) => effects().claim(await startRun(), [id])],
  ])('returns as superseded a widget that %s, and changes nothing', async (_, claimMeanwhile) => {
    const { widget, created } = await insertWidget();
    const run = await startRun();
    await claimMeanwhile(widget.id);
    const change = buildChange(widget, [anEntry(widget, 2)]);
    expect(await effects().apply(run, [change])).toEqual({ superseded: [widget.id], unstorable: [] });
    expect(await claimWithNewRun(widget.id)).toEqual({ widget, outbox: [created] });
  });

  test('returns a widget as superseded if the run has lost its fence, or never claimed the widget', async () => {
    const { widget, created } = await insertWidget();
    const [low, middle, high] = [await startRun(), await startRun(), await startRun()];
    await effects().claim(low, [widget.id]);
    await effects().claim(middle, [widget.id]);
    const change = buildChange(widget, [anEntry(widget, 2)]);
    expect(await effects().apply(low, [change])).toEqual({ superseded: [widget.id], unstorable: [] });
    expect(await effects().apply(high, [change])).toEqual({ superseded: [widget.id], unstorable: [] });
    expect(await claimWithNewRun(widget.id)).toEqual({ widget, outbox: [created] });
  });

  test.each([0, 2])('returns a widget as superseded if the change is from version %d, not 1', async (fromVersion) => {
    const { widget, created } = await insertWidget();
    const run = await startRun();
    await effects().claim(run, [widget.id]);
    const change = { ...buildChange(widget, [anEntry(widget, fromVersion + 1)]), fromVersion };
    expect(await effects().apply(run, [change])).toEqual({ superseded: [widget.id], unstorable: [] });
    expect(await claimWithNewRun(widget.id)).toEqual({ widget, outbox: [created] });
  });

  test('returns an unknown widget as superseded', async () => {
    const widget = aWidget();
    const change = buildChange(widget, [anEntry(widget, 2)]);
    expect(await effects().apply(await startRun(), [change])).toEqual({ superseded: [widget.id], unstorable: [] });
    expect(await testBackend.backend.widgets.get(widget.id)).toBeNull();
  });

  test('writes the other changes of a call when one is superseded', async () => {
    const [claimed, superseded] = [await insertWidget(), await insertWidget()];
    const run = await startRun();
    await effects().claim(run, [claimed.widget.id, superseded.widget.id]);
    await effects().claim(await startRun(), [superseded.widget.id]);
    const changes = [superseded, claimed].map(({ widget }) => buildChange(widget, [anEntry(widget, 2)]));
    expect(await effects().apply(run, changes)).toEqual({ superseded: [superseded.widget.id], unstorable: [] });
    expect(await testBackend.backend.widgets.get(claimed.widget.id)).toMatchObject({ version: 2 });
    expect(await testBackend.backend.widgets.get(superseded.widget.id)).toEqual(superseded.widget);
  });

  test('writes exactly one of ten concurrent changes from the same version', async () => {
    const { widget, created } = await insertWidget();
    const run = await startRun();
    await effects().claim(run, [widget.id]);
    const entries = Array.from({ length: 10 }, () => anEntry(widget, 2));
    const outcomes = await Promise.all(entries.map((entry) => effects().apply(run, [buildChange(widget, [entry])])));
    const written = entries.filter((_, n) => outcomes[n]?.superseded.length === 0);
    expect(written).toHaveLength(1);
    expect((await claimWithNewRun(widget.id))?.outbox).toEqual([created, ...written]);
  });

  test('accepts 256 changes in one call, and 256 entries in one change', async () => {
    const creations = await Promise.all(Array.from({ length: 256 }, () => insertWidget()));
    const run = await startRun();
    const ids = creations.map(({ widget }) => widget.id);
    await effects().claim(run, ids);
    const changes = creations.map(({ widget }) => buildChange(widget, [anEntry(widget, 2)]));
    expect(await effects().apply(run, changes)).toEqual({ superseded: [], unstorable: [] });
    const busyWidget = aWidget({ id: ids[0] ?? '', version: 2 });
    const entries = Array.from({ length: 256 }, (_, n) => anEntry(busyWidget, n + 3));
    expect(await effects().apply(run, [buildChange(busyWidget, entries)])).toEqual({ superseded: [], unstorable: [] });
    const { claimed } = await effects().claim(run, ids);
    const total = claimed.reduce((sum, { outbox }) => sum + outbox.length, 0);
    expect(total).toBe(256 * 2 + 256);
  });

  test('keeps the change and its entries across a reopen', async () => {
    const { widget, created } = await insertWidget();
    const run = await startRun();
    await effects().claim(run, [widget.id]);
    const entry = anEntry(widget, 2);
    await effects().apply(run, [buildChange(widget, [entry])]);
    await testBackend.reopen();
    expect(await claimWithNewRun(widget.id)).toEqual({
      widget: { ...widget, ...entry.after },
      outbox: [created, entry],
    });
  });
});
