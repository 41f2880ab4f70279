import { describe, expect, it } from 'vitest';
import type { Delivery } from '../domain/hook-event.ts';
import type { QueueItem } from '../domain/queue-item.ts';
import { parseHookJob, serializeHookJob, UnknownJobVersionError } from './hook-job-codec.ts';

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

describe('a hook job', () => {
  it('gives back the items it was made of, in their order', () => {
    const items: QueueItem[] = [
      { type: 'delivery', delivery },
      { type: 'nudge', widgetId: '0198c0de-0000-7000-8000-000000000002' },
      { type: 'delivery', delivery: { ...delivery, widgetId: null, payload: null, redrive: true, kind: 'created' } },
    ];
    expect(parseHookJob(serializeHookJob(items))).toEqual({ items, unreadable: [] });
  });

  it('keeps the payload byte for byte', () => {
    const [item] = parseHookJob(serializeHookJob([{ type: 'delivery', delivery }])).items;
    expect(item).toMatchObject({ delivery: { payload: delivery.payload } });
  });

  it('may be empty', () => {
    expect(parseHookJob(serializeHookJob([]))).toEqual({ items: [], unreadable: [] });
  });

  it('is refused as one of a newer version, whatever that holds', () => {
    expect(() => parseHookJob('{"version":2,"work":"something else"}')).toThrow(UnknownJobVersionError);
    expect(() => parseHookJob('{"version":99,"items":[]}')).toThrow(UnknownJobVersionError);
  });

  it.each([
    ['no JSON', '{"version":1,'],
    ['nothing', ''],
    ['null', 'null'],
    ['an array', '[]'],
    ['without a version', '{"items":[]}'],
    ['of a version that is no number', '{"version":"1","items":[]}'],
    ['of a version nobody ever wrote', '{"version":0,"items":[]}'],
    ['without items', '{"version":1}'],
    ['with items that are no list', '{"version":1,"items":{"t":"n"}}'],
  ])('is unreadable as a whole when it is %s', (_, text) => {
    expect(parseHookJob(text)).toEqual({ items: [], unreadable: [{ text, delivery: null }] });
  });
});

describe('an item of a hook job', () => {
  const good = { type: 'delivery', delivery } as const;
  const stored = serializeHookJob([good]);
  const storedItem = stored.slice(stored.indexOf('[') + 1, stored.lastIndexOf(']'));
  const jobOf = (...items: string[]) => `{"version":1,"items":[${items.join(',')}]}`;
  const { redrive: _, ...read } = delivery;

  it.each<[string, string, object]>([
    ['kind is unknown', storedItem.replace('retired', 'archived'), { kind: 'archived' }],
    ['kind is missing', storedItem.replace('"k":"retired",', ''), { kind: '' }],
    ['time is none', storedItem.replace(/"o":"[^"]+"/, '"o":"now"'), { occurredAt: 'now' }],
    ['receipt is no number', storedItem.replace(/"r":\d+/, '"r":"now"'), { receivedAt: null }],
    ['receipt lies beyond every date', storedItem.replace(/"r":\d+/, '"r":8640000000000001'), { receivedAt: null }],
    ['widget is none', storedItem.replace(/"w":"[^"]+"/, '"w":"lamp"'), { widgetId: null }],
    ['payload is no JSON', storedItem.replace(/"p":"(?:[^"\\]|\\.)*"/, '"p":"{"'), { payload: '"{"' }],
    ['payload is no object', storedItem.replace(/"p":"(?:[^"\\]|\\.)*"/, '"p":"[1]"'), { payload: '[1]' }],
    ['payload is no text', storedItem.replace(/"p":"(?:[^"\\]|\\.)*"/, '"p":{"a":1}'), { payload: '{"a":1}' }],
    ['type is unknown', storedItem.replace('"t":"d"', '"t":"z"'), {}],
  ])('is told apart from the others when its %s, with all that can be read of it', (_name, text, changed) => {
    expect(text).not.toBe(storedItem);
    expect(parseHookJob(jobOf(storedItem, text, storedItem))).toEqual({
      items: [good, good],
      unreadable: [{ text: JSON.stringify(JSON.parse(text)), delivery: { ...read, ...changed } }],
    });
  });

  it.each([
    ['a number', '1'],
    ['null', 'null'],
    ['a nudge without a widget', '{"t":"n"}'],
    ['a delivery without an id', storedItem.replace(/"e":"[^"]+",/, '')],
    ['a delivery with an id that is none', storedItem.replace(/"e":"[^"]+"/, '"e":"1"')],
    ['a delivery of nobody', storedItem.replace(/"i":"[^"]+",/, '')],
  ])('is no delivery that could be told when it is %s', (_name, text) => {
    expect(parseHookJob(jobOf(text, storedItem))).toEqual({
      items: [good],
      unreadable: [{ text: JSON.stringify(JSON.parse(text)), delivery: null }],
    });
  });
});
