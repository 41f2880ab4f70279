import { expect, test } from 'vitest';
import type { Delivery } from '../domain/delivery.ts';
import { coalesceItems, serializeHookJob } from './hook-job-codec.ts';

const buildJob = (size: number) =>
  serializeHookJob(
    Array.from({ length: size }, () => ({ type: 'nudge', widgetId: '01900000-0000-7000-8000-000000000000' })),
  );
const coalescedSizes = (itemCount: number, texts: string[]) =>
  coalesceItems(itemCount, texts).map((items) => items.length);

test('coalesces whole jobs in order, up to 256 items in total', () => {
  expect(coalescedSizes(1, [buildJob(100), buildJob(100), buildJob(55), buildJob(1)])).toEqual([100, 100, 55]);
  expect(coalescedSizes(57, [buildJob(100), buildJob(100), buildJob(1)])).toEqual([100]);
  expect(coalescedSizes(256, [buildJob(1)])).toEqual([]);
});

test('coalesces jobs up to 512 KiB in total', () => {
  const payload = `{"text":"${'x'.repeat(300 * 1024)}"}`;
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
  expect(coalescedSizes(1, [large, large, buildJob(1)])).toEqual([1]);
  // Jobs that were coalesced before count, too.
  expect(coalesceItems(1, [large], 211 * 1024)).toHaveLength(1);
  expect(coalesceItems(1, [large], 213 * 1024)).toHaveLength(0);
});

test('stops before a job that it cannot read', () => {
  expect(coalescedSizes(1, [buildJob(2), '{"version":99,"items":[]}', buildJob(3)])).toEqual([2]);
  expect(coalescedSizes(1, [buildJob(2), 'no job', buildJob(3)])).toEqual([2]);
  expect(coalescedSizes(1, [buildJob(2), '{"version":1,"items":[{"t":"n"}]}', buildJob(3)])).toEqual([2]);
});
