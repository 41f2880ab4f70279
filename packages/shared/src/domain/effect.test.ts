import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Delivery } from './delivery.ts';
import { applyHooks } from './effect.ts';
import type { OutboxEntry } from './outbox-entry.ts';
import { buildWidget, type Widget } from './widget.ts';

const createdAt = new Date('2026-01-01T00:00:00.000Z');
const widget = buildWidget(
  { name: 'lamp', state: 'active', labels: [], owner: null },
  '01900000-0000-7000-8000-000000000000',
  createdAt,
);

function buildDelivery(changes: Partial<Delivery>): Delivery {
  return {
    eventId: crypto.randomUUID(),
    integrationId: '01900000-0000-7000-8000-00000000000a',
    kind: 'updated',
    occurredAt: '2026-01-02T00:00:00Z',
    receivedAt: new Date('2026-01-02T00:00:01.000Z'),
    widgetId: widget.id,
    payload: null,
    redrive: false,
    ...changes,
  };
}

/** Around the creation, and from the year 0 to 9999. */
const anyTimestamp = fc
  .oneof(
    fc.integer({ min: createdAt.getTime() - 1_000_000, max: createdAt.getTime() + 1_000_000 }),
    fc.integer({ min: -62_167_219_200_000, max: 253_402_300_799_999 }),
  )
  .map((ms) => new Date(ms));
const anyDelivery = fc
  .record({
    kind: fc.constantFrom('created', 'updated', 'retired'),
    occurredAt: anyTimestamp,
    receivedAt: anyTimestamp,
  })
  .map(({ kind, occurredAt, receivedAt }) => buildDelivery({ kind, occurredAt: occurredAt.toISOString(), receivedAt }));

describe('applyHooks', () => {
  test('returns the same widget for every order of the same hooks', () => {
    const shuffled = fc
      .array(anyDelivery, { maxLength: 8 })
      .chain((all) =>
        fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length })),
      );
    fc.assert(
      fc.property(shuffled, ([deliveries, reordered]) => {
        expect(applyHooks(widget, reordered).widget).toEqual(applyHooks(widget, deliveries).widget);
      }),
    );
  });

  test('returns the same widget for one batch of hooks as for one hook at a time', () => {
    fc.assert(
      fc.property(fc.array(anyDelivery, { maxLength: 8 }), (all) => {
        const oneByOne = all.reduce((current, delivery) => applyHooks(current, [delivery]).widget, widget);
        expect(applyHooks(widget, all).widget).toEqual(oneByOne);
      }),
    );
  });

  test('applies each delivery once in any order and any batches if the caller drops duplicates', () => {
    const withRepetitions = fc
      .uniqueArray(anyDelivery, { minLength: 1, maxLength: 6, selector: ({ eventId }) => eventId })
      .chain((all) =>
        fc.tuple(
          fc.constant(all),
          fc
            .array(fc.nat({ max: all.length - 1 }), { maxLength: 6 })
            .map((repeated) => [...all, ...repeated.flatMap((index) => all[index] ?? [])])
            .chain((sent) => fc.shuffledSubarray(sent, { minLength: sent.length, maxLength: sent.length })),
          fc.integer({ min: 1, max: 4 }),
        ),
      );
    fc.assert(
      fc.property(withRepetitions, fc.boolean(), ([all, sent, batchSize], isRetired) => {
        const initial: Widget = isRetired ? { ...widget, state: 'retired', retiredAt: createdAt } : widget;
        let current = initial;
        const seen = new Set<string>();
        const entries: OutboxEntry[] = [];
        for (let start = 0; start < sent.length; start += batchSize) {
          const fresh = sent
            .slice(start, start + batchSize)
            .filter(({ eventId }) => seen.size < seen.add(eventId).size);
          const effect = applyHooks(current, fresh);
          current = effect.widget;
          entries.push(...effect.entries);
        }
        expect(current).toEqual(applyHooks(initial, all).widget);
        expect(entries.map(({ eventId }) => eventId).sort()).toEqual(all.map(({ eventId }) => eventId).sort());
        expect(entries.map(({ after }) => after.version)).toEqual(all.map((_, index) => index + 2));
        const stateChanges = entries.filter(({ stateBefore, after }) => stateBefore !== after.state);
        const isRetiredNow = all.some(({ kind }) => kind === 'retired');
        expect(stateChanges).toHaveLength(isRetiredNow && !isRetired ? 1 : 0);
      }),
    );
  });

  test('numbers the entries without holes from the widget’s version', () => {
    const { entries } = applyHooks({ ...widget, version: 7 }, [
      buildDelivery({}),
      buildDelivery({}),
      buildDelivery({}),
    ]);
    expect(entries.map((entry) => entry.after.version)).toEqual([8, 9, 10]);
  });

  test('sets retiredAt to the earliest time, and changes the state only in the first entry', () => {
    const { widget: after, entries } = applyHooks(widget, [
      buildDelivery({
        kind: 'retired',
        occurredAt: '2026-01-03T00:00:00Z',
        receivedAt: new Date('2026-01-03T00:00:00Z'),
      }),
      buildDelivery({
        kind: 'retired',
        occurredAt: '2026-01-02T00:00:00Z',
        receivedAt: new Date('2026-01-04T00:00:00Z'),
      }),
    ]);
    expect(after.state).toBe('retired');
    expect(after.retiredAt).toEqual(new Date('2026-01-02T00:00:00Z'));
    expect(entries.map((entry) => entry.stateBefore)).toEqual(['active', 'retired']);
    expect(entries.map((entry) => entry.late)).toEqual([false, true]);
  });

  test('replaces a retirement of a time that no working clock showed, in every order', () => {
    const wrongTimes = ['0000-01-01T00:00:00Z', '0001-01-01T00:00:00Z', '1970-01-01T00:00:12Z', '2001-01-01T00:00:00Z'];
    const right = buildDelivery({ kind: 'retired', occurredAt: '2025-06-01T00:00:00Z' });
    for (const occurredAt of wrongTimes) {
      const wrong = buildDelivery({ kind: 'retired', occurredAt });
      for (const order of [
        [wrong, right],
        [right, wrong],
        [wrong, right, wrong],
      ]) {
        expect(applyHooks(widget, order).widget.retiredAt).toEqual(new Date('2025-06-01T00:00:00Z'));
      }
      const stored: Widget = { ...widget, state: 'retired', retiredAt: new Date(occurredAt) };
      expect(applyHooks(stored, [right]).widget.retiredAt).toEqual(new Date('2025-06-01T00:00:00Z'));
    }
  });

  test('uses receivedAt for a hook with a future time, and keeps occurredAt as sent', () => {
    const receivedAt = new Date('2026-01-02T00:00:00.000Z');
    const { widget: after, entries } = applyHooks(widget, [
      buildDelivery({ occurredAt: '2099-01-01T00:00:00Z', receivedAt }),
    ]);
    expect(after.lastEventAt).toEqual(receivedAt);
    expect(entries[0]?.occurredAt).toBe('2099-01-01T00:00:00Z');
  });
});
