import type { EventFilter, FilterableEvent } from '@widget-service/shared/domain/event-filter.ts';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { anEntitlement, type FakeHub, type FakeHubOptions, openFakeHub } from './testing/fake-hub.ts';
import { closingReasonIn, eventsIn, openFakeSink, positionsIn } from './testing/fake-sink.ts';

const open: FakeHub[] = [];
afterEach(() => {
  for (const { hub } of open.splice(0)) hub.close();
});

function openHub(ringFrames: number, options: FakeHubOptions['options'] = {}, more: Partial<FakeHubOptions> = {}) {
  const fake = openFakeHub({ ringFrames, options, ...more });
  open.push(fake);
  return fake;
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
const created: Partial<FilterableEvent> = { type: 'widget.created' };
const retired: Partial<FilterableEvent> = { type: 'widget.retired', state: 'retired' };
const onlyRetired = anEntitlement({ types: ['widget.retired'] });

describe('a filtered stream', () => {
  it.each<[string, Partial<EventFilter>, number[]]>([
    ['types', { types: ['widget.created'] }, [1]],
    ['widgetIds', { widgetIds: ['z'] }, [2, 3]],
    ['states', { states: ['retired'] }, [2]],
    ['labels', { labels: ['red', 'blue'] }, [1]],
    ['all of them', { widgetIds: ['z'], states: ['retired'], types: ['widget.created', 'widget.retired'] }, [2]],
  ])('gets what its %s let through, live and replayed', async (_member, filter, wanted) => {
    const { append, join } = openHub(100);
    const [live, replayed] = [openFakeSink(), openFakeSink()];
    join(live, 0, anEntitlement(filter));
    append(1, { ...created, widgetId: 'a', labels: ['blue'] });
    append(1, { ...retired, widgetId: 'z', labels: ['green'] });
    append(1, { widgetId: 'z', state: null, stateBefore: null, labels: null });
    await nextTurn();
    join(replayed, 0, anEntitlement(filter));
    await replayed.until(() => eventsIn(replayed).length === wanted.length);
    expect([eventsIn(live), eventsIn(replayed)]).toEqual([wanted, wanted]);
  });

  it('equals the filtered list, wherever it starts and however slow it is', async () => {
    const types = ['widget.created', 'widget.updated', 'widget.retired'] as const;
    const ids = ['a', 'b', 'c'] as const;
    const someOf = <T>(values: readonly T[]) =>
      fc.option(fc.array(fc.constantFrom(...values), { minLength: 1, maxLength: 2 }));
    const event = fc.record({ type: fc.constantFrom(...types), widgetId: fc.option(fc.constantFrom(...ids)) });
    const stream = fc.record({ start: fc.nat(40), types: someOf(types), widgetIds: someOf(ids) });
    const plan = fc.record({
      kept: fc.array(event, { maxLength: 40 }),
      ringFrames: fc.integer({ min: 1, max: 60 }),
      streams: fc.array(stream, { minLength: 1, maxLength: 5 }),
      bursts: fc.array(fc.array(event, { minLength: 1, maxLength: 20 }), { maxLength: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(plan, async ({ kept, ringFrames, streams, bursts }) => {
        const { append, join, hub, reasons } = openHub(ringFrames);
        for (const each of kept) append(1, each);
        const opened = streams.map(({ start, ...filter }) => {
          const [from, sink] = [Math.min(start, kept.length), openFakeSink()];
          join(sink, from, anEntitlement(filter));
          return { from, sink, filter };
        });
        for (const burst of bursts) {
          for (const each of burst) append(1, each);
          await nextTurn();
          for (const { sink } of opened) sink.drain();
        }
        const all = [...kept, ...bursts.flat()];
        for (const { from, sink, filter } of opened) {
          const wanted = all.flatMap(({ type, widgetId }, index) => {
            const isType = filter.types === null || filter.types.includes(type);
            const isWidget = filter.widgetIds === null || (widgetId !== null && filter.widgetIds.includes(widgetId));
            return index >= from && isType && isWidget ? [index + 1] : [];
          });
          await sink.until(() => eventsIn(sink).length >= wanted.length);
          expect(eventsIn(sink)).toEqual(wanted);
        }
        expect(reasons).toEqual([]);
        hub.close();
      }),
      { numRuns: 60 },
    );
  });

  it('shares one buffer with all that stand at the same place under the same filter', async () => {
    const { append, join } = openHub(100);
    const same = [openFakeSink(), openFakeSink()];
    const other = openFakeSink();
    const holder = { kind: 'subscription', id: 'another' } as const;
    join(same[0]!, 0, anEntitlement({ types: ['widget.retired', 'widget.created'] }));
    join(same[1]!, 0, anEntitlement({ types: ['widget.created', 'widget.retired'] }, { holder }));
    join(other, 0, anEntitlement({ types: ['widget.created'] }));
    append(1, created);
    append(3, retired);
    append(2, created);
    await other.until(() => eventsIn(other).length === 3);
    expect(same.map((sink) => eventsIn(sink))).toEqual([
      [1, 2, 3, 4, 5, 6],
      [1, 2, 3, 4, 5, 6],
    ]);
    expect(same[0]!.writes).toHaveLength(1);
    expect(same[0]!.writes[0]).toBe(same[1]!.writes[0]);
    expect(other.writes).toHaveLength(1);
  });

  it('looks at an event once per filter, not once per connection', async () => {
    const { append, join } = openHub(100);
    let looks = 0;
    const labels = new Proxy(['red'], {
      get: (target, key) => {
        if (key === 'some') looks += 1;
        return Reflect.get(target, key);
      },
    });
    const sinks = Array.from({ length: 50 }, () => openFakeSink());
    for (const sink of sinks) join(sink, 0, anEntitlement({ labels: ['red'] }));
    append(1, { labels });
    await sinks[49]!.until(() => eventsIn(sinks[49]!).length === 1);
    expect(looks).toBe(1);
  });

  it('lets other work in while it passes over a long past', async () => {
    const { append, join, reads } = openHub(1, {}, { beforeRead: async () => undefined });
    append(700, created);
    const sink = openFakeSink();
    join(sink, 0, onlyRetired);
    await nextTurn();
    expect(reads.length).toBeLessThan(10);
    append(1, retired);
    await sink.until(() => eventsIn(sink).length === 1);
    expect(eventsIn(sink)).toEqual([701]);
    expect(reads.length).toBeGreaterThanOrEqual(100);
  });
});

describe('stream.position', () => {
  it('is told with the heartbeats while the filter lets nothing through, once per place', async () => {
    const { append, join } = openHub(100, { heartbeatIntervalMs: 100 });
    const [filtered, unfiltered] = [openFakeSink(), openFakeSink()];
    join(filtered, 0, onlyRetired);
    join(unfiltered, 0);
    append(3, created);
    await filtered.until(() => positionsIn(filtered).length === 1);
    append(2, created);
    await filtered.until(() => positionsIn(filtered).length === 2);
    await filtered.until(() => filtered.text().endsWith('data: {}\n\n:\n\n'));
    append(1, retired);
    await filtered.until(() => filtered.text().endsWith('\n\n:\n\n:\n\n'));
    expect(positionsIn(filtered)).toEqual([3, 5]);
    expect(eventsIn(filtered)).toEqual([6]);
    expect(positionsIn(unfiltered)).toEqual([]);
  });

  it('is not told over what a client has not taken yet', async () => {
    const { append, join } = openHub(100, { heartbeatIntervalMs: 100 });
    const sink = openFakeSink();
    join(sink, 0, onlyRetired);
    sink.pause();
    append(1, retired);
    append(1, created);
    const other = openFakeSink();
    join(other, 0, onlyRetired);
    // By the second heartbeat of one, the first of every other was due.
    await other.until(() => other.text().endsWith('data: {}\n\n:\n\n'));
    expect(positionsIn(sink)).toEqual([]);
    sink.resume();
    await sink.until(() => positionsIn(sink).length === 1);
    expect(positionsIn(sink)).toEqual([2]);
  });

  it.each(['draining', 'lifetime'] as const)('comes before the end of a stream that has moved: %s', async (reason) => {
    const { hub, append, join } = openHub(
      100,
      reason === 'lifetime' ? { heartbeatIntervalMs: 1_000, lifetimeMs: 50 } : {},
    );
    const [moved, still] = [openFakeSink(), openFakeSink()];
    join(moved, 0, onlyRetired);
    append(4, created);
    await nextTurn();
    join(still, 4, onlyRetired);
    if (reason === 'draining') hub.endAll('draining');
    await moved.until(() => moved.isEnded && still.isEnded);
    expect([positionsIn(moved), positionsIn(still)]).toEqual([[4], []]);
    expect([closingReasonIn(moved), closingReasonIn(still)]).toEqual([reason, reason]);
  });

  it('does not come where there is nothing to resume from', async () => {
    const { hub, append, join } = openHub(100);
    const sink = openFakeSink();
    join(sink, 0, onlyRetired);
    append(4, created);
    await nextTurn();
    hub.endAll('resync');
    expect([positionsIn(sink), closingReasonIn(sink)]).toEqual([[], 'resync']);
  });
});
