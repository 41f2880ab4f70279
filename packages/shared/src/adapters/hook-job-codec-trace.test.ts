import { describe, expect, test } from 'vitest';
import type { Delivery } from '../domain/delivery.ts';
import { parseHookJob, serializeHookJob } from './hook-job-codec.ts';

const delivery: Delivery = {
  eventId: '0b6f4b0e-55a4-8d6e-9f43-2f1b6f2f7a01',
  integrationId: '3f0b3a52-9f8e-4c7e-8b1e-5a4b7c1d2e3f',
  kind: 'retired',
  occurredAt: '2026-03-01T10:00:00Z',
  widgetId: '0198c0de-0000-7000-8000-000000000001',
  payload: '{"a":1}',
  receivedAt: new Date('2026-03-01T10:00:00.987Z'),
  redrive: false,
};
const traceContext = '4bf92f3577b34da6a3ce929d0e0e473600f067aa0ba902b7';
/** The job as versions without tracing write it. */
const untracedJob =
  '{"version":1,"items":[{"t":"d","e":"0b6f4b0e-55a4-8d6e-9f43-2f1b6f2f7a01",' +
  '"i":"3f0b3a52-9f8e-4c7e-8b1e-5a4b7c1d2e3f","k":"retired","o":"2026-03-01T10:00:00Z",' +
  '"w":"0198c0de-0000-7000-8000-000000000001","p":"{\\"a\\":1}","r":1772359200987}]}';
const tracedJob = untracedJob.replace('}]}', `,"c":"${traceContext}"}]}`);

describe('the trace context in a job', () => {
  test('is left out for a hook that is not traced: the job is the same, byte for byte, as without tracing', () => {
    expect(serializeHookJob([{ type: 'delivery', delivery }])).toBe(untracedJob);
    expect(parseHookJob(untracedJob)).toEqual({ items: [{ type: 'delivery', delivery }], unreadable: [] });
  });

  test('travels with its hook only', () => {
    const items = [
      { type: 'delivery', delivery, traceContext },
      { type: 'delivery', delivery },
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
    expect(parseHookJob(text)).toEqual({ items: [{ type: 'delivery', delivery }], unreadable: [] });
  });
});
