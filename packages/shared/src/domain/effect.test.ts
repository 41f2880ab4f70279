import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyHooks } from './effect.ts';
import type { Delivery } from './hook-event.ts';
import type { OutboxEntry } from './outbox-entry.ts';
import { buildWidget, type Widget } from './widget.ts';

const createdAt = new Date('2026-01-01T00:00:00.000Z');
const widget = buildWidget(
  { name: 'lamp', state: 'active', labels: [], owner: null },
  '01900000-0000-7000-8000-000000000000',
  createdAt,
);

function delivery(changes: Partial<Delivery>): Delivery {
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

const anyTimestamp = fc
  .integer({ min: createdAt.getTime(), max: createdAt.getTime() + 1_000_000 })
  .map((ms) => new Date(ms));
const anyDelivery = fc
  .record({
    kind: fc.constantFrom('created', 'updated', 'retired'),
    occurredAt: anyTimestamp,
    receivedAt: anyTimestamp,
  })
  .map(({ kind, occurredAt, receivedAt }) => delivery({ kind, occurredAt: occurredAt.toISOString(), receivedAt }));

describe('applyHooks', () => {
  it('gives the same widget for every order of the same hooks', () => {
    const shuffled = fc
      .array(anyDelivery, { maxLength: 8 })
      .chain((all) =>
        fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length })),
      );
    fc.assert(
      fc.property(shuffled, ([one, other]) => {
        expect(applyHooks(widget, one).widget).toEqual(applyHooks(widget, other).widget);
      }),
    );
  });

  it('gives the same widget whether hooks come in one batch or one by one', () => {
    fc.assert(
      fc.property(fc.array(anyDelivery, { maxLength: 8 }), (all) => {
        const oneByOne = all.reduce((current, each) => applyHooks(current, [each]).widget, widget);
        expect(applyHooks(widget, all).widget).toEqual(oneByOne);
      }),
    );
  });

  it('gives the same widget for every order with repetitions, split into any batches, when what is known is dropped', () => {
    const withRepetitions = fc
      .uniqueArray(anyDelivery, { minLength: 1, maxLength: 6, selector: ({ eventId }) => eventId })
      .chain((all) =>
        fc.tuple(
          fc.constant(all),
          fc
            .array(fc.nat({ max: all.length - 1 }), { maxLength: 6 })
            .map((again) => [...all, ...again.flatMap((index) => all[index] ?? [])])
            .chain((sent) => fc.shuffledSubarray(sent, { minLength: sent.length, maxLength: sent.length })),
          fc.integer({ min: 1, max: 4 }),
        ),
      );
    fc.assert(
      fc.property(withRepetitions, fc.boolean(), ([all, sent, batchSize], isRetired) => {
        const start: Widget = isRetired ? { ...widget, state: 'retired', retiredAt: createdAt } : widget;
        let current = start;
        const known = new Set<string>();
        const told: OutboxEntry[] = [];
        for (let at = 0; at < sent.length; at += batchSize) {
          const fresh = sent.slice(at, at + batchSize).filter(({ eventId }) => known.size < known.add(eventId).size);
          const effect = applyHooks(current, fresh);
          current = effect.widget;
          told.push(...effect.entries);
        }
        expect(current).toEqual(applyHooks(start, all).widget);
        expect(told.map(({ eventId }) => eventId).sort()).toEqual(all.map(({ eventId }) => eventId).sort());
        expect(told.map(({ after }) => after.version)).toEqual(all.map((_, index) => index + 2));
        const changes = told.filter(({ stateBefore, after }) => stateBefore !== after.state);
        const isRetiredNow = all.some(({ kind }) => kind === 'retired');
        expect(changes).toHaveLength(isRetiredNow && !isRetired ? 1 : 0);
      }),
    );
  });

  it('numbers the entries densely from the widget’s version', () => {
    const { entries } = applyHooks({ ...widget, version: 7 }, [delivery({}), delivery({}), delivery({})]);
    expect(entries.map((entry) => entry.after.version)).toEqual([8, 9, 10]);
  });

  it('retires at the earliest time told, and says only the first time that the state changed', () => {
    const { widget: after, entries } = applyHooks(widget, [
      delivery({ kind: 'retired', occurredAt: '2026-01-03T00:00:00Z', receivedAt: new Date('2026-01-03T00:00:00Z') }),
      delivery({ kind: 'retired', occurredAt: '2026-01-02T00:00:00Z', receivedAt: new Date('2026-01-04T00:00:00Z') }),
    ]);
    expect(after.state).toBe('retired');
    expect(after.retiredAt).toEqual(new Date('2026-01-02T00:00:00Z'));
    expect(entries.map((entry) => entry.stateBefore)).toEqual(['active', 'retired']);
    expect(entries.map((entry) => entry.late)).toEqual([false, true]);
  });

  it('uses the time of receipt for a hook from the future, and keeps the time as sent', () => {
    const receivedAt = new Date('2026-01-02T00:00:00.000Z');
    const { widget: after, entries } = applyHooks(widget, [
      delivery({ occurredAt: '2099-01-01T00:00:00Z', receivedAt }),
    ]);
    expect(after.lastEventAt).toEqual(receivedAt);
    expect(entries[0]?.occurredAt).toBe('2099-01-01T00:00:00Z');
  });
});
