import { describe, expect, test } from 'vitest';
import type { Delivery } from '../domain/delivery.ts';
import type { QueueItem } from '../domain/queue-item.ts';
import { coalesceItems, parseHookJob, serializeHookJob, UnknownJobVersionError } from './hook-job-codec.ts';

const delivery: Delivery = {
  eventId: '0b6f4b0e-55a4-8d6e-9f43-2f1b6f2f7a01',
  integrationId: '3f0b3a52-9f8e-4c7e-8b1e-5a4b7c1d2e3f',
  kind: 'retired',
  occurredAt: '2026-03-01T10:00:00.1234567+00:00',
  widgetId: '0198c0de-0000-7000-8000-000000000001',
  payload: '{ "a.b": 1e400, "$x": "\\u0000 ü 🦄", "a.b": 2 }',
  receivedAt: new Date('2026-03-01T10:00:00.987Z'),
  redrive: false,
};

describe('parseHookJob', () => {
  test('returns the items of serializeHookJob in order', () => {
    const items: QueueItem[] = [
      { type: 'delivery', delivery },
      { type: 'nudge', widgetId: '0198c0de-0000-7000-8000-000000000002' },
      { type: 'delivery', delivery: { ...delivery, widgetId: null, payload: null, redrive: true, kind: 'created' } },
    ];
    expect(parseHookJob(serializeHookJob(items))).toEqual({ items, unreadable: [] });
  });

  test('ignores members that a newer version adds to the job or to an item', () => {
    const items: QueueItem[] = [
      { type: 'delivery', delivery },
      { type: 'nudge', widgetId: '0198c0de-0000-7000-8000-000000000002' },
    ];
    const text = serializeHookJob(items)
      .replaceAll('{"t":', '{"z":1,"t":')
      .replace('{"version":1', '{"version":1,"z":[]');
    expect(text.match(/"z"/g)).toHaveLength(3);
    expect(parseHookJob(text)).toEqual({ items, unreadable: [] });
  });

  test('parses a job without items', () => {
    expect(parseHookJob(serializeHookJob([]))).toEqual({ items: [], unreadable: [] });
  });

  test('throws UnknownJobVersionError for a newer version, whatever the job contains', () => {
    expect(() => parseHookJob('{"version":2,"work":"something else"}')).toThrow(UnknownJobVersionError);
    expect(() => parseHookJob('{"version":99,"items":[]}')).toThrow(UnknownJobVersionError);
  });

  test.each([
    ['invalid JSON', '{"version":1,'],
    ['an empty text', ''],
    ['null', 'null'],
    ['an array', '[]'],
    ['a job without a version', '{"items":[]}'],
    ['a version that is not a number', '{"version":"1","items":[]}'],
    ['version 0', '{"version":0,"items":[]}'],
    ['a job without items', '{"version":1}'],
    ['items that are not an array', '{"version":1,"items":{"t":"n"}}'],
  ])('returns the whole text as unreadable for %s', (_, text) => {
    expect(parseHookJob(text)).toEqual({ items: [], unreadable: [{ text, delivery: null }] });
  });
});

describe('parseHookJob with a malformed item', () => {
  const readableItem = { type: 'delivery', delivery } as const;
  const stored = serializeHookJob([readableItem]);
  const storedItem = stored.slice(stored.indexOf('[') + 1, stored.lastIndexOf(']'));
  const buildJob = (...items: string[]) => `{"version":1,"items":[${items.join(',')}]}`;
  const { redrive: _, ...readableParts } = delivery;

  test.each<[string, string, object]>([
    ['kind is unknown', storedItem.replace('retired', 'archived'), { kind: 'archived' }],
    ['kind is missing', storedItem.replace('"k":"retired",', ''), { kind: '' }],
    ['time is malformed', storedItem.replace(/"o":"[^"]+"/, '"o":"now"'), { occurredAt: 'now' }],
    ['receivedAt is not a number', storedItem.replace(/"r":\d+/, '"r":"now"'), { receivedAt: null }],
    ['receivedAt exceeds every date', storedItem.replace(/"r":\d+/, '"r":8640000000000001'), { receivedAt: null }],
    ['widget id is not a UUID', storedItem.replace(/"w":"[^"]+"/, '"w":"lamp"'), { widgetId: null }],
    ['payload is not JSON', storedItem.replace(/"p":"(?:[^"\\]|\\.)*"/, '"p":"{"'), { payload: '"{"' }],
    ['payload is not an object', storedItem.replace(/"p":"(?:[^"\\]|\\.)*"/, '"p":"[1]"'), { payload: '[1]' }],
    ['payload is not a string', storedItem.replace(/"p":"(?:[^"\\]|\\.)*"/, '"p":{"a":1}'), { payload: '{"a":1}' }],
    ['type is unknown', storedItem.replace('"t":"d"', '"t":"z"'), {}],
  ])('returns the other items, and the readable parts of an item whose %s', (_name, text, changed) => {
    expect(text).not.toBe(storedItem);
    expect(parseHookJob(buildJob(storedItem, text, storedItem))).toEqual({
      items: [readableItem, readableItem],
      unreadable: [{ text: JSON.stringify(JSON.parse(text)), delivery: { ...readableParts, ...changed } }],
    });
  });

  test.each([
    ['a number', '1'],
    ['null', 'null'],
    ['a nudge without a widget', '{"t":"n"}'],
    ['a delivery without an id', storedItem.replace(/"e":"[^"]+",/, '')],
    ['a delivery with a malformed id', storedItem.replace(/"e":"[^"]+"/, '"e":"1"')],
    ['a delivery without an integration', storedItem.replace(/"i":"[^"]+",/, '')],
  ])('returns only the text of %s', (_name, text) => {
    expect(parseHookJob(buildJob(text, storedItem))).toEqual({
      items: [readableItem],
      unreadable: [{ text: JSON.stringify(JSON.parse(text)), delivery: null }],
    });
  });
});

const traceContext = '4bf92f3577b34da6a3ce929d0e0e473600f067aa0ba902b7';
const plain: Delivery = { ...delivery, occurredAt: '2026-03-01T10:00:00Z', payload: '{"a":1}' };
/** The job of this delivery without a trace, byte for byte. */
const untracedJob =
  '{"version":1,"items":[{"t":"d","e":"0b6f4b0e-55a4-8d6e-9f43-2f1b6f2f7a01",' +
  '"i":"3f0b3a52-9f8e-4c7e-8b1e-5a4b7c1d2e3f","k":"retired","o":"2026-03-01T10:00:00Z",' +
  '"w":"0198c0de-0000-7000-8000-000000000001","p":"{\\"a\\":1}","r":1772359200987}]}';
const tracedJob = untracedJob.replace('}]}', `,"c":"${traceContext}"}]}`);

describe('the trace context in a job', () => {
  test('is left out for a hook that is not traced: the job is the same, byte for byte, as without tracing', () => {
    expect(serializeHookJob([{ type: 'delivery', delivery: plain }])).toBe(untracedJob);
    expect(parseHookJob(untracedJob)).toEqual({ items: [{ type: 'delivery', delivery: plain }], unreadable: [] });
  });

  test('travels with its hook only', () => {
    const items = [
      { type: 'delivery', delivery: plain, traceContext },
      { type: 'delivery', delivery: plain },
    ] as const;
    expect(serializeHookJob(items.slice(0, 1))).toBe(tracedJob);
    expect(parseHookJob(serializeHookJob(items))).toEqual({ items, unreadable: [] });
  });

  test.each([
    ['a text of another form', '"00-4bf9-00f0-01"'],
    ['an empty text', '""'],
    ['a number', '7'],
    ['null', 'null'],
    ['an object', '{}'],
  ])('is ignored if it is %s: the hook is processed without it', (_, value) => {
    const text = tracedJob.replace(`"${traceContext}"`, value);
    expect(text).not.toBe(tracedJob);
    expect(parseHookJob(text)).toEqual({ items: [{ type: 'delivery', delivery: plain }], unreadable: [] });
  });
});

const buildNudges = (size: number) =>
  serializeHookJob(
    Array.from({ length: size }, () => ({ type: 'nudge', widgetId: '01900000-0000-7000-8000-000000000000' })),
  );
const coalescedSizes = (itemCount: number, texts: string[]) =>
  coalesceItems(itemCount, texts).map((items) => items.length);

test('coalesces whole jobs in order, up to 256 items in total', () => {
  expect(coalescedSizes(1, [buildNudges(100), buildNudges(100), buildNudges(55), buildNudges(1)])).toEqual([
    100, 100, 55,
  ]);
  expect(coalescedSizes(57, [buildNudges(100), buildNudges(100), buildNudges(1)])).toEqual([100]);
  expect(coalescedSizes(256, [buildNudges(1)])).toEqual([]);
});

test('coalesces jobs up to 512 KiB in total', () => {
  const payload = `{"text":"${'x'.repeat(300 * 1024)}"}`;
  const large = serializeHookJob([{ type: 'delivery', delivery: { ...delivery, payload } }]);
  expect(coalescedSizes(1, [large, large, buildNudges(1)])).toEqual([1]);
  // Jobs that were coalesced before count, too.
  expect(coalesceItems(1, [large], 211 * 1024)).toHaveLength(1);
  expect(coalesceItems(1, [large], 213 * 1024)).toHaveLength(0);
});

test('stops before a job that it cannot read', () => {
  expect(coalescedSizes(1, [buildNudges(2), '{"version":99,"items":[]}', buildNudges(3)])).toEqual([2]);
  expect(coalescedSizes(1, [buildNudges(2), 'no job', buildNudges(3)])).toEqual([2]);
  expect(coalescedSizes(1, [buildNudges(2), '{"version":1,"items":[{"t":"n"}]}', buildNudges(3)])).toEqual([2]);
});
