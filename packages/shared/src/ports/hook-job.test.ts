import { describe, expect, it } from 'vitest';
import type { Delivery } from '../domain/hook-event.ts';
import type { QueueItem } from '../domain/queue-item.ts';
import { InvalidJobError, parseHookJob, serializeHookJob, UnknownJobVersionError } from './hook-job.ts';

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
    expect(parseHookJob(serializeHookJob(items))).toEqual(items);
  });

  it('keeps the payload byte for byte', () => {
    const [item] = parseHookJob(serializeHookJob([{ type: 'delivery', delivery }]));
    expect(item).toMatchObject({ delivery: { payload: delivery.payload } });
  });

  it('may be empty', () => {
    expect(parseHookJob(serializeHookJob([]))).toEqual([]);
  });

  it('is refused as one of another version, whatever that holds', () => {
    expect(() => parseHookJob('{"version":2,"work":"something else"}')).toThrow(UnknownJobVersionError);
    expect(() => parseHookJob('{"version":"1","items":[]}')).toThrow(UnknownJobVersionError);
  });

  it.each([
    ['no JSON', '{"version":1,'],
    ['nothing', ''],
    ['null', 'null'],
    ['an array', '[]'],
    ['no version', '{"items":[]}'],
    ['no items', '{"version":1}'],
    ['an unknown kind of item', '{"version":1,"items":[{"t":"z"}]}'],
    ['a nudge without a widget', '{"version":1,"items":[{"t":"n"}]}'],
    ['an unknown kind of hook', serializeHookJob([{ type: 'delivery', delivery }]).replace('retired', 'deleted')],
    ['a time that is no number', serializeHookJob([{ type: 'delivery', delivery }]).replace(/"r":\d+/, '"r":"now"')],
  ])('is refused when it is %s', (_, text) => {
    expect(() => parseHookJob(text)).toThrow(InvalidJobError);
  });

  it('tells nothing of what the sender wrote when it is refused', () => {
    const text = serializeHookJob([{ type: 'delivery', delivery }]).replace('retired', 'secret-canary');
    expect(() => parseHookJob(text)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('canary') }),
    );
  });
});
