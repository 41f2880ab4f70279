import { expect, it } from 'vitest';
import type { Delivery } from '../domain/hook-event.ts';
import { coalesceItems } from './coalesce-jobs.ts';
import { serializeHookJob } from './hook-job-codec.ts';

const job = (size: number) =>
  serializeHookJob(
    Array.from({ length: size }, () => ({ type: 'nudge', widgetId: '01900000-0000-7000-8000-000000000000' })),
  );
const sizes = (firstItems: number, texts: string[]) => coalesceItems(firstItems, texts).map((items) => items.length);

it('takes whole jobs, in order, up to 256 items in all', () => {
  expect(sizes(1, [job(100), job(100), job(55), job(1)])).toEqual([100, 100, 55]);
  expect(sizes(57, [job(100), job(100), job(1)])).toEqual([100]);
  expect(sizes(256, [job(1)])).toEqual([]);
});

it('takes no more than half a MiB along', () => {
  const payload = `{"filling":"${'x'.repeat(300 * 1024)}"}`;
  const delivery: Delivery = {
    eventId: '01900000-0000-8000-8000-000000000000',
    integrationId: '01900000-0000-7000-8000-000000000001',
    kind: 'updated',
    occurredAt: '2026-03-01T10:00:00Z',
    widgetId: null,
    payload,
    receivedAt: new Date(0),
    redrive: false,
  };
  const large = serializeHookJob([{ type: 'delivery', delivery }]);
  expect(sizes(1, [large, large, job(1)])).toEqual([1]);
  // What was taken along before counts, too.
  expect(coalesceItems(1, [large], 211 * 1024)).toHaveLength(1);
  expect(coalesceItems(1, [large], 213 * 1024)).toHaveLength(0);
});

it('stops before a job that cannot be read', () => {
  expect(sizes(1, [job(2), '{"version":99,"items":[]}', job(3)])).toEqual([2]);
  expect(sizes(1, [job(2), 'no job', job(3)])).toEqual([2]);
  expect(sizes(1, [job(2), '{"version":1,"items":[{"t":"n"}]}', job(3)])).toEqual([2]);
});
