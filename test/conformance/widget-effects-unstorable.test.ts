import { describe, expect, test } from 'vitest';
import { aCreation, anEntry } from '../drivers/app/builders.ts';
import { openSharedBackend } from '../drivers/app/open-shared.ts';

/** A payload that the store rejects for good. */
const poison = '{"reading":"poison"}';
/** The store's error. It must not repeat the payload. */
const cause = expect.stringMatching(/^(?!.*poison)(MongoDB|SQLite|database): .*(validation|rejected|unstorable)/i);

const testBackend = await openSharedBackend();
await testBackend.rejectPayloads('outbox', 'poison');

describe('WidgetEffects.apply, with an unstorable change', () => {
  /** Inserts and claims one widget per payload, and prepares a change of one hook for each. */
  async function prepareChanges(...payloads: readonly string[]) {
    const { effects, runs, widgets } = testBackend.backend;
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

  const getVersion = async (id: string | undefined) => (await testBackend.backend.widgets.get(id ?? ''))?.version;

  test('leaves the widget unchanged, and changes the others', async () => {
    const { run, changes, ids } = await prepareChanges('{}', poison, '{"a":1}');
    expect(await testBackend.backend.effects.apply(run, changes)).toEqual({
      superseded: [],
      unstorable: [{ id: ids[1], cause }],
    });
    expect(await Promise.all(ids.map(getVersion))).toEqual([2, 1, 2]);
    const { claimed } = await testBackend.backend.effects.claim(run, ids);
    const outboxSizes = new Map(claimed.map(({ widget, outbox }) => [widget.id, outbox.length]));
    expect(ids.map((id) => outboxSizes.get(id))).toEqual([2, 1, 2]);
  });

  test('returns an unstorable change that is alone, and a batch of only unstorable changes', async () => {
    const single = await prepareChanges(poison);
    expect(await testBackend.backend.effects.apply(single.run, single.changes)).toEqual({
      superseded: [],
      unstorable: [{ id: single.ids[0], cause }],
    });
    const { run, changes, ids } = await prepareChanges(poison, poison);
    expect(await testBackend.backend.effects.apply(run, changes)).toEqual({
      superseded: [],
      unstorable: ids.map((id) => ({ id, cause })),
    });
  });

  test('returns unstorable and superseded widgets apart', async () => {
    const { run, changes, ids } = await prepareChanges('{}', poison, '{}');
    const { run: higher } = await testBackend.backend.runs.startRun();
    await testBackend.backend.effects.claim(higher, [ids[2] ?? '']);
    expect(await testBackend.backend.effects.apply(run, changes)).toEqual({
      superseded: [ids[2]],
      unstorable: [{ id: ids[1], cause }],
    });
    expect(await Promise.all(ids.map(getVersion))).toEqual([2, 1, 1]);
  });

  test('accepts a storable change of the same widget afterwards', async () => {
    const { run, changes, ids } = await prepareChanges(poison);
    await testBackend.backend.effects.apply(run, changes);
    const storable = changes.map((change) => ({
      ...change,
      entries: change.entries.map((entry) => ({ ...entry, payload: '{}' })),
    }));
    expect(await testBackend.backend.effects.apply(run, storable)).toEqual({ superseded: [], unstorable: [] });
    expect(await getVersion(ids[0])).toBe(2);
  });
});
