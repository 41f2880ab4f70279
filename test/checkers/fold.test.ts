import { applyHooks } from '@widget-service/shared/domain/effect.ts';
import { buildWidget } from '@widget-service/shared/domain/widget.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aDelivery } from '../drivers/app/builders.ts';
import { type AnsweredWidget, foldWidget, isFoldOf, type SentHook } from './fold.ts';

const createdAt = new Date('2026-01-01T00:00:00.000Z');
const chosen = { name: 'lamp', labels: ['red'], owner: null } as const;
const idOfWidget = '01900000-0000-7000-8000-000000000000';

const answered = (value: unknown) => JSON.parse(JSON.stringify(value)) as AnsweredWidget;
const created = answered(buildWidget({ ...chosen, state: 'active' }, idOfWidget, createdAt));
const day = (number: number) => `2026-01-${String(number).padStart(2, '0')}T00:00:00.000Z`;
const hook = (eventId: string, kind: SentHook['kind'], dayOfMonth: number): SentHook => ({
  eventId,
  kind,
  occurredAt: day(dayOfMonth),
});

describe('foldWidget', () => {
  test('counts the distinct hooks, and uses the newest time and the earliest retirement', () => {
    const hooks = [hook('a', 'retired', 5), hook('b', 'updated', 7), hook('c', 'retired', 3), hook('a', 'retired', 5)];
    const { updatedAt: _, ...rest } = created;
    expect(foldWidget(created, hooks)).toEqual({
      ...rest,
      state: 'retired',
      retiredAt: day(3),
      lastEventAt: day(7),
      version: 4,
    });
  });

  test('uses the time of receipt for a hook from the future', () => {
    const { lastEventAt } = foldWidget(created, [{ ...hook('a', 'updated', 9), receivedAt: day(2) }]);
    expect(lastEventAt).toBe(day(2));
  });

  test('keeps the earlier retirement of a widget that was created retired', () => {
    const retired = answered(buildWidget({ ...chosen, state: 'retired' }, idOfWidget, createdAt));
    expect(foldWidget(retired, [hook('a', 'retired', 5)])).toMatchObject({ retiredAt: day(1), version: 2 });
  });

  test('equals what the service computes hook by hook, for any hooks and both initial states', () => {
    const times = fc
      .integer({ min: 0, max: 8 })
      .map((hours) => new Date(createdAt.getTime() + (hours - 4) * 3_600_000));
    const kinds = fc.constantFrom('created' as const, 'updated' as const, 'retired' as const);
    const anyHook = fc.record({ kind: kinds, occurredAt: times, receivedAt: times });
    const states = fc.constantFrom('active' as const, 'retired' as const);
    fc.assert(
      fc.property(states, fc.array(anyHook, { maxLength: 8 }), (state, all) => {
        const widget = buildWidget({ ...chosen, state }, idOfWidget, createdAt);
        const deliveries = all.map(({ kind, occurredAt, receivedAt }) =>
          aDelivery({ kind, occurredAt: occurredAt.toISOString(), receivedAt, widgetId: idOfWidget }),
        );
        const sent = deliveries.map((delivery) => ({ ...delivery, receivedAt: delivery.receivedAt.toISOString() }));
        const { updatedAt: _, ...final } = answered(applyHooks(widget, deliveries).widget);
        expect(foldWidget(answered(widget), [...sent, ...sent.toReversed()])).toEqual(final);
      }),
    );
  });
});

describe('isFoldOf with hooks of unknown outcome', () => {
  const seenAfter = (hooks: readonly SentHook[]) => ({ ...foldWidget(created, hooks), updatedAt: day(20) });

  test('accepts the fold with and without each such hook, and nothing else', () => {
    const times = fc.integer({ min: 2, max: 5 });
    const anyHook = fc.record({ kind: fc.constantFrom('updated' as const, 'retired' as const), day: times });
    const few = fc.array(anyHook, { maxLength: 4 });
    fc.assert(
      fc.property(few, few, few, (accepted, unknown, others) => {
        const [sure, open, foreign] = [accepted, unknown, others].map((all, which) =>
          all.map(({ kind, day }, index) => hook(`${which}-${index}`, kind, day)),
        ) as [SentHook[], SentHook[], SentHook[]];
        const ways = listSubsets(open).map((some) => JSON.stringify(foldWidget(created, [...sure, ...some])));
        for (const some of listSubsets([...open, ...foreign])) {
          const seen = seenAfter([...sure, ...some]);
          const isExpected = ways.includes(JSON.stringify(foldWidget(created, [...sure, ...some])));
          expect(isFoldOf(seen, created, sure, open)).toBe(isExpected);
        }
      }),
      { numRuns: 60 },
    );
  });

  test('rejects a missing accepted hook, a hook counted twice, and another changed member', () => {
    const [a, b] = [hook('a', 'updated', 3), hook('b', 'retired', 4)];
    expect(isFoldOf(seenAfter([a, b]), created, [a, b], [])).toBe(true);
    expect(isFoldOf(seenAfter([a]), created, [a, b], [])).toBe(false);
    expect(isFoldOf({ ...seenAfter([a, b]), version: 4 }, created, [a, b], [])).toBe(false);
    expect(isFoldOf({ ...seenAfter([a, b]), name: 'other' }, created, [a, b], [])).toBe(false);
  });

  test('does not count a hook twice that was answered once and not answered once', () => {
    const a = hook('a', 'updated', 3);
    expect(isFoldOf(seenAfter([a]), created, [a], [a])).toBe(true);
    expect(isFoldOf({ ...seenAfter([a]), version: 3 }, created, [a], [a])).toBe(false);
  });
});

function listSubsets<T>(all: readonly T[]): T[][] {
  return all.reduce<T[][]>((subsets, item) => subsets.flatMap((some) => [some, [...some, item]]), [[]]);
}
