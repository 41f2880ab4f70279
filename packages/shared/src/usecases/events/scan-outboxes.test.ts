import { expect, test } from 'vitest';
import { UnavailableError } from '../../domain/errors.ts';
import { assignPartition } from '../../domain/queue-item.ts';
import { createUuidV7 } from '../../domain/uuid.ts';
import type { HookJob } from '../../ports/hook-queue.ts';
import type { UnpublishedWidget, WidgetOutbox } from '../../ports/widget-store.ts';
import { systemClock } from '../../runtime/clock.ts';
import { makeScanOutboxes } from './scan-outboxes.ts';

const partitionCount = 2;
const stuckPartition = 0;
const servedPartition = 1;

/**
 * Widgets with overdue outboxes, and a queue that keeps jobs until `processJob`. `onPage` may throw, to fail a read.
 */
function aBacklog(onPage: (page: number) => void = () => undefined) {
  const unpublished: UnpublishedWidget[] = [];
  const waiting = new Map<string, HookJob>();
  let nextAtMs = Date.UTC(2026, 0, 1);
  let pages = 0;
  const findOverdue: WidgetOutbox['findOverdue'] = async (before, limit, from) => {
    pages += 1;
    onPage(pages);
    const isBehindCursor = ({ widgetId, since }: UnpublishedWidget) =>
      from === undefined || (since >= from.since && !from.widgetIds.includes(widgetId));
    return unpublished.filter((widget) => widget.since < before && isBehindCursor(widget)).slice(0, limit);
  };
  const scanOutboxes = makeScanOutboxes({
    outboxes: { findOverdue, findFutureDated: async () => [] },
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
    const remaining = unpublished.filter(({ widgetId }) => !published.has(widgetId));
    unpublished.splice(0, unpublished.length, ...remaining);
  };
  const queuedWidgetIds = (partition: number) =>
    (waiting.get(`scan-${partition}`)?.items ?? []).map((item) => (item.type === 'nudge' ? item.widgetId : ''));
  return {
    scan: () => scanOutboxes(new AbortController().signal),
    queuedWidgetIds,
    /** Publishes widgets while the scanner's job waits, as their own hooks and nudges do. */
    publish,
    /** Adds widgets of one partition, `perMs` of them with the same time. Returns their ids, oldest first. */
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
    /** Processes the partition's job, as a worker does. */
    processJob(partition: number): void {
      publish(queuedWidgetIds(partition));
      waiting.delete(`scan-${partition}`);
    },
  };
}

test('nudges the widgets of a served partition behind 1 000 widgets of a stuck one', async () => {
  const { scan, add, queuedWidgetIds } = aBacklog();
  const oldest = add(stuckPartition, 1_000);
  const later = add(servedPartition, 3);
  expect(await scan()).toMatchObject({ widgets: 259 });
  expect(queuedWidgetIds(servedPartition)).toEqual(later);
  expect(queuedWidgetIds(stuckPartition)).toEqual(oldest.slice(0, 256));
});

test('reaches them behind 5 000 widgets in the second scan, also if many have the same time', async () => {
  const { scan, add, queuedWidgetIds } = aBacklog();
  add(stuckPartition, 5_000, 700);
  const later = add(servedPartition, 3, 700);
  for (let scans = 0; scans < 2; scans += 1) await scan();
  expect(queuedWidgetIds(servedPartition)).toEqual(later);
});

test('starts again at the oldest widget once it has found all widgets', async () => {
  const { scan, add, processJob, queuedWidgetIds } = aBacklog();
  const oldest = add(stuckPartition, 5_000);
  for (let scans = 0; scans < 2; scans += 1) await scan();
  processJob(stuckPartition);
  await scan();
  expect(queuedWidgetIds(stuckPartition)).toEqual(oldest.slice(256, 512));
});

test('returns hasMore while full jobs are processed, and not while they wait', async () => {
  const { scan, add, processJob } = aBacklog();
  add(servedPartition, 600);
  expect(await scan()).toMatchObject({ widgets: 256, hasMore: true });
  expect(await scan()).toMatchObject({ widgets: 256, hasMore: false });
  processJob(servedPartition);
  expect(await scan()).toMatchObject({ widgets: 256, hasMore: true });
  processJob(servedPartition);
  expect(await scan()).toMatchObject({ widgets: 88, hasMore: false });
  processJob(servedPartition);
  expect(await scan()).toMatchObject({ widgets: 0, hasMore: false });
});

test('does not return hasMore when some widgets of a waiting full job are published', async () => {
  const { scan, add, publish, processJob } = aBacklog();
  const oldest = add(servedPartition, 400);
  expect(await scan()).toMatchObject({ widgets: 256, hasMore: true });
  publish(oldest.slice(0, 10));
  expect(await scan()).toMatchObject({ widgets: 256, hasMore: false });
  publish(oldest.slice(10, 200));
  expect(await scan()).toMatchObject({ widgets: 200, hasMore: false });
  add(servedPartition, 300);
  expect(await scan()).toMatchObject({ widgets: 256, hasMore: false });
  processJob(servedPartition);
  expect(await scan()).toMatchObject({ widgets: 256, hasMore: true });
});

test('says since when the oldest outbox has been overdue, if the scan started there', async () => {
  const { scan, add } = aBacklog();
  expect((await scan()).oldestSince).toBeNull();
  add(stuckPartition, 5_000);
  expect((await scan()).oldestSince).toEqual(new Date('2026-01-01T00:00:00Z'));
  // This scan continues behind the 4 096 widgets of the last one.
  expect((await scan()).oldestSince).toBeUndefined();
});

test('starts again at the oldest widget after a failed scan', async () => {
  const { scan, add, queuedWidgetIds } = aBacklog((page) => {
    if (page === 2) throw new UnavailableError('the store does not answer');
  });
  const oldest = add(servedPartition, 3);
  add(stuckPartition, 1_000);
  await expect(scan()).rejects.toThrow(UnavailableError);
  await scan();
  expect(queuedWidgetIds(servedPartition)).toEqual(oldest);
});
