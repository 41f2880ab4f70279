import type { EventFilter, FilterableEvent } from '@widget-service/shared/domain/event-filter.ts';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { anEntitlement, type FakeHub, type FakeHubOptions, openFakeHub, waitForImmediate } from './testing/fake-hub.ts';
import { openFakeSink, parseClosingReason, parseEventSeqs, parsePositionSeqs } from './testing/fake-sink.ts';

const open: FakeHub[] = [];
afterEach(() => {
  for (const { hub } of open.splice(0)) hub.close();
});

function openHub(ringFrames: number, options: FakeHubOptions['options'] = {}, more: Partial<FakeHubOptions> = {}) {
  const fake = openFakeHub({ ringFrames, options, ...more });
  open.push(fake);
  return fake;
}

const created: Partial<FilterableEvent> = { type: 'widget.created' };
const retired: Partial<FilterableEvent> = { type: 'widget.retired', state: 'retired' };
const onlyRetired = anEntitlement({ types: ['widget.retired'] });

describe('a filtered stream', () => {
  test.each<[string, Partial<EventFilter>, number[]]>([
    ['types', { types: ['widget.created'] }, [1]],
    ['widgetIds', { widgetIds: ['z'] }, [2, 3]],
    ['states', { states: ['retired'] }, [2]],
    ['labels', { labels: ['red', 'blue'] }, [1]],
    ['combined members', { widgetIds: ['z'], states: ['retired'], types: ['widget.created', 'widget.retired'] }, [2]],
  ])('gets only events that pass its %s, live and replayed', async (_member, filter, expectedSeqs) => {
    const { append, join } = openHub(100);
    const [live, replayed] = [openFakeSink(), openFakeSink()];
    join(live, 0, anEntitlement(filter));
    append(1, { ...created, widgetId: 'a', labels: ['blue'] });
    append(1, { ...retired, widgetId: 'z', labels: ['green'] });
    append(1, { widgetId: 'z', state: null, stateBefore: null, labels: null });
    await waitForImmediate();
    join(replayed, 0, anEntitlement(filter));
    await replayed.until(() => parseEventSeqs(replayed).length === expectedSeqs.length);
    expect([parseEventSeqs(live), parseEventSeqs(replayed)]).toEqual([expectedSeqs, expectedSeqs]);
  });

  test('equals the filtered log, from any start and at any speed', async () => {
    const types = ['widget.created', 'widget.updated', 'widget.retired'] as const;
    const ids = ['a', 'b', 'c'] as const;
    const anySubset = <T>(values: readonly T[]) =>
      fc.option(fc.array(fc.constantFrom(...values), { minLength: 1, maxLength: 2 }));
    const anyEvent = fc.record({ type: fc.constantFrom(...types), widgetId: fc.option(fc.constantFrom(...ids)) });
    const anyStream = fc.record({ start: fc.nat(40), types: anySubset(types), widgetIds: anySubset(ids) });
    const plan = fc.record({
      kept: fc.array(anyEvent, { maxLength: 40 }),
      ringFrames: fc.integer({ min: 1, max: 60 }),
      streams: fc.array(anyStream, { minLength: 1, maxLength: 5 }),
      bursts: fc.array(fc.array(anyEvent, { minLength: 1, maxLength: 20 }), { maxLength: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(plan, async ({ kept, ringFrames, streams, bursts }) => {
        const { append, join, hub, reasons } = openHub(ringFrames);
        for (const event of kept) append(1, event);
        const opened = streams.map(({ start, ...filter }) => {
          const [from, sink] = [Math.min(start, kept.length), openFakeSink()];
          join(sink, from, anEntitlement(filter));
          return { from, sink, filter };
        });
        for (const burst of bursts) {
          for (const event of burst) append(1, event);
          await waitForImmediate();
          for (const { sink } of opened) sink.drain();
        }
        const all = [...kept, ...bursts.flat()];
        for (const { from, sink, filter } of opened) {
          const expectedSeqs = all.flatMap(({ type, widgetId }, index) => {
            const isType = filter.types === null || filter.types.includes(type);
            const isWidget = filter.widgetIds === null || (widgetId !== null && filter.widgetIds.includes(widgetId));
            return index >= from && isType && isWidget ? [index + 1] : [];
          });
          await sink.until(() => parseEventSeqs(sink).length >= expectedSeqs.length);
          expect(parseEventSeqs(sink)).toEqual(expectedSeqs);
        }
        expect(reasons).toEqual([]);
        hub.close();
      }),
      { numRuns: 60 },
    );
  });

  test('shares one buffer with every connection at the same cursor with the same filter', async () => {
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
    await other.until(() => parseEventSeqs(other).length === 3);
    expect(same.map((sink) => parseEventSeqs(sink))).toEqual([
      [1, 2, 3, 4, 5, 6],
      [1, 2, 3, 4, 5, 6],
    ]);
    expect(same[0]!.writes).toHaveLength(1);
    expect(same[0]!.writes[0]).toBe(same[1]!.writes[0]);
    expect(other.writes).toHaveLength(1);
  });

  test('evaluates an event once per filter, not once per connection', async () => {
    const { append, join } = openHub(100);
    let evaluations = 0;
    const labels = new Proxy(['red'], {
      get: (target, key) => {
        if (key === 'some') evaluations += 1;
        return Reflect.get(target, key);
      },
    });
    const sinks = Array.from({ length: 50 }, () => openFakeSink());
    for (const sink of sinks) join(sink, 0, anEntitlement({ labels: ['red'] }));
    append(1, { labels });
    await sinks[49]!.until(() => parseEventSeqs(sinks[49]!).length === 1);
    expect(evaluations).toBe(1);
  });

  test('lets other work of the process run while a replay drops many events', async () => {
    const { append, join, reads } = openHub(1, {}, { beforeRead: async () => undefined });
    append(700, created);
    const sink = openFakeSink();
    join(sink, 0, onlyRetired);
    await waitForImmediate();
    expect(reads.length).toBeLessThan(10);
    append(1, retired);
    await sink.until(() => parseEventSeqs(sink).length === 1);
    expect(parseEventSeqs(sink)).toEqual([701]);
    expect(reads.length).toBeGreaterThanOrEqual(100);
  });
});

describe('stream.position', () => {
  test('is sent with the heartbeat, once per position, while the filter drops every event', async () => {
    const { append, join } = openHub(100, { heartbeatIntervalMs: 100 });
    const [filtered, unfiltered] = [openFakeSink(), openFakeSink()];
    join(filtered, 0, onlyRetired);
    join(unfiltered, 0);
    append(3, created);
    await filtered.until(() => parsePositionSeqs(filtered).length === 1);
    append(2, created);
    await filtered.until(() => parsePositionSeqs(filtered).length === 2);
    await filtered.until(() => filtered.text().endsWith('data: {}\n\n:\n'));
    append(1, retired);
    await filtered.until(() => filtered.text().endsWith('\n\n:\n:\n'));
    expect(parsePositionSeqs(filtered)).toEqual([3, 5]);
    expect(parseEventSeqs(filtered)).toEqual([6]);
    expect(parsePositionSeqs(unfiltered)).toEqual([]);
  });

  test('is not sent while the client has unsent bytes', async () => {
    const { append, join } = openHub(100, { heartbeatIntervalMs: 100 });
    const sink = openFakeSink();
    join(sink, 0, onlyRetired);
    sink.pause();
    append(1, retired);
    append(1, created);
    const other = openFakeSink();
    join(other, 0, onlyRetired);
    // When one stream gets its second heartbeat, the first one of every other stream was due.
    await other.until(() => other.text().endsWith('data: {}\n\n:\n'));
    expect(parsePositionSeqs(sink)).toEqual([]);
    sink.resume();
    await sink.until(() => parsePositionSeqs(sink).length === 1);
    expect(parsePositionSeqs(sink)).toEqual([2]);
  });

  test.each(['draining', 'lifetime'] as const)(
    'precedes stream.closing when the cursor has moved: %s',
    async (reason) => {
      const { hub, append, join } = openHub(
        100,
        reason === 'lifetime' ? { heartbeatIntervalMs: 1_000, lifetimeMs: 50 } : {},
      );
      const [moved, unmoved] = [openFakeSink(), openFakeSink()];
      join(moved, 0, onlyRetired);
      append(4, created);
      await waitForImmediate();
      join(unmoved, 4, onlyRetired);
      if (reason === 'draining') hub.endAll('draining');
      await moved.until(() => moved.isEnded && unmoved.isEnded);
      expect([parsePositionSeqs(moved), parsePositionSeqs(unmoved)]).toEqual([[4], []]);
      expect([parseClosingReason(moved), parseClosingReason(unmoved)]).toEqual([reason, reason]);
    },
  );

  test('does not precede stream.closing with the reason resync', async () => {
    const { hub, append, join } = openHub(100);
    const sink = openFakeSink();
    join(sink, 0, onlyRetired);
    append(4, created);
    await waitForImmediate();
    hub.endAll('resync');
    expect([parsePositionSeqs(sink), parseClosingReason(sink)]).toEqual([[], 'resync']);
  });
});
