import { expect, it } from 'vitest';
import { UnavailableError } from '../../domain/errors.ts';
import { assignPartition } from '../../domain/queue-item.ts';
import { createUuidV7 } from '../../domain/uuid.ts';
import type { HookBatch } from '../../ports/hook-queue.ts';
import type { UnpublishedWidget, WidgetOutbox } from '../../ports/widget-outbox.ts';
import { systemClock } from '../../runtime/clock.ts';
import { makeScanOutboxes } from './scan-outboxes.ts';

const partitionCount = 2;
const heldUp = 0;
const served = 1;

/** Widgets with something to publish, and a queue in which the jobs of one partition stay; `onPage` may fail a search. */
function aBacklog(onPage: (page: number) => void = () => undefined) {
  const unpublished: UnpublishedWidget[] = [];
  const waiting = new Map<string, HookBatch>();
  let nextAtMs = Date.UTC(2026, 0, 1);
  let pages = 0;
  const find: WidgetOutbox['findOverdue'] = async (before, limit, from) => {
    pages += 1;
    onPage(pages);
    const isBeyond = ({ widgetId, since }: UnpublishedWidget) =>
      from === undefined || (since >= from.since && !from.widgetIds.includes(widgetId));
    return unpublished.filter((one) => one.since < before && isBeyond(one)).slice(0, limit);
  };
  const scanOutboxes = makeScanOutboxes({
    outboxes: { findOverdue: find, findFutureDated: async () => [] },
    hookQueue: {
      partitionCount,
      enqueue: async (batch) => {
        if (!waiting.has(batch.jobId)) waiting.set(batch.jobId, batch);
      },
    },
    clock: systemClock,
    scanAgeMs: 5_000,
  });
  const publish = (widgetIds: readonly string[]) => {
    const published = new Set(widgetIds);
    const left = unpublished.filter(({ widgetId }) => !published.has(widgetId));
    unpublished.splice(0, unpublished.length, ...left);
  };
  const widgetIdsOf = (partition: number) =>
    (waiting.get(`scan-${partition}`)?.items ?? []).map((item) => (item.type === 'nudge' ? item.widgetId : ''));
  return {
    scan: () => scanOutboxes(new AbortController().signal),
    widgetIdsOf,
    /** What their own hooks and nudges do, while the partition's job waits. */
    publish,
    /** Adds widgets of one partition, `perMs` of them received at the same time; returns their ids. */
    add(partition: number, count: number, perMs = 1): string[] {
      const ids: string[] = [];
      while (ids.length < count) {
        const widgetId = createUuidV7();
        if (assignPartition(widgetId, partitionCount) !== partition) continue;
        ids.push(widgetId);
        unpublished.push({ widgetId, since: new Date(nextAtMs) });
        if (ids.length % perMs === 0) nextAtMs += 1;
      }
      return ids;
    },
    /** What a worker does with the partition's job. */
    carryOut(partition: number): void {
      publish(widgetIdsOf(partition));
      waiting.delete(`scan-${partition}`);
    },
  };
}

it('finds a widget of a partition that is served behind many of one that is held up', async () => {
  const { scan, add, widgetIdsOf } = aBacklog();
  const old = add(heldUp, 1_000);
  const behind = add(served, 3);
  expect(await scan()).toMatchObject({ widgets: 259 });
  expect(widgetIdsOf(served)).toEqual(behind);
  expect(widgetIdsOf(heldUp)).toEqual(old.slice(0, 256));
});

it('finds it behind any number of them within some turns, also where many were received at the same time', async () => {
  const { scan, add, widgetIdsOf } = aBacklog();
  add(heldUp, 5_000, 700);
  const behind = add(served, 3, 700);
  for (let turn = 0; turn < 2; turn += 1) await scan();
  expect(widgetIdsOf(served)).toEqual(behind);
});

it('comes back to the oldest once it has seen all', async () => {
  const { scan, add, carryOut, widgetIdsOf } = aBacklog();
  const old = add(heldUp, 5_000);
  for (let turn = 0; turn < 2; turn += 1) await scan();
  carryOut(heldUp);
  await scan();
  expect(widgetIdsOf(heldUp)).toEqual(old.slice(256, 512));
});

it('tells that it moves on as long as full jobs are carried out, and that it does not while they wait', async () => {
  const { scan, add, carryOut } = aBacklog();
  add(served, 600);
  expect(await scan()).toEqual({ widgets: 256, hasMore: true });
  expect(await scan()).toEqual({ widgets: 256, hasMore: false });
  carryOut(served);
  expect(await scan()).toEqual({ widgets: 256, hasMore: true });
  carryOut(served);
  expect(await scan()).toEqual({ widgets: 88, hasMore: false });
  carryOut(served);
  expect(await scan()).toEqual({ widgets: 0, hasMore: false });
});

it('does not take it for moving on that some of the oldest are published while the full job waits', async () => {
  const { scan, add, publish, carryOut } = aBacklog();
  const old = add(served, 400);
  expect(await scan()).toEqual({ widgets: 256, hasMore: true });
  publish(old.slice(0, 10));
  expect(await scan()).toEqual({ widgets: 256, hasMore: false });
  publish(old.slice(10, 200));
  expect(await scan()).toEqual({ widgets: 200, hasMore: false });
  add(served, 300);
  expect(await scan()).toEqual({ widgets: 256, hasMore: false });
  carryOut(served);
  expect(await scan()).toEqual({ widgets: 256, hasMore: true });
});

it('finds anew after a failure what it had found before it', async () => {
  const { scan, add, widgetIdsOf } = aBacklog((page) => {
    if (page === 2) throw new UnavailableError('the store is away');
  });
  const oldest = add(served, 3);
  add(heldUp, 1_000);
  await expect(scan()).rejects.toThrow(UnavailableError);
  await scan();
  expect(widgetIdsOf(served)).toEqual(oldest);
});
