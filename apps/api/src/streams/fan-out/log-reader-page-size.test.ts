import type { LogRecord } from '@widget-service/shared/ports/event-log.ts';
import { describe, expect, test } from 'vitest';
import { makeReadPage } from './log-reader.ts';

const targetBytes = 256 * 1024;
const noWidget = { widgetId: null, state: null, stateBefore: null, labels: null };
const makeRecord = (bytes: number): LogRecord => ({
  ...{ epoch: 'now', ms: 1, seq: 1, previousMs: 1 },
  event: { eventId: 'e', type: 'widget.updated', ...noWidget, json: 'x'.repeat(bytes) },
});

/** A `ReadPage` over an endless log. `read` reads a page of events of one size, and `sizes` records the pages. */
function openEndlessLog() {
  const readPage = makeReadPage(targetBytes);
  const sizes: { events: number; bytes: number }[] = [];
  const read = async (eventBytes: number, available = Number.POSITIVE_INFINITY) => {
    const event = makeRecord(eventBytes);
    const page = await readPage(async (limit) => Array.from({ length: Math.min(limit, available) }, () => event));
    sizes.push({ events: page.length, bytes: page.length * eventBytes });
  };
  const fail = () => readPage(() => Promise.reject(new Error('unavailable')));
  return { readPage, sizes, read, fail };
}

describe('makeReadPage', () => {
  test.each([
    ['small', 300, 500],
    ['ordinary', 1_000, 256],
    ['large', 65_536, 4],
  ])('approaches the target size when the events are %s', async (_, eventBytes, events) => {
    const { read, sizes } = openEndlessLog();
    for (let reads = 0; reads < 10; reads += 1) await read(eventBytes);
    expect(sizes[0]?.events).toBe(4);
    for (const { events: count } of sizes.slice(7)) expect(count).toBe(events);
  });

  test('reads single events when one event is larger than the target', async () => {
    const { read, sizes } = openEndlessLog();
    for (let reads = 0; reads < 3; reads += 1) await read(1_048_576);
    expect(sizes.map(({ events }) => events)).toEqual([4, 1, 1]);
  });

  test('shrinks the page when events become large and grows it again when they become small', async () => {
    const { read, sizes } = openEndlessLog();
    for (let reads = 0; reads < 6; reads += 1) await read(300);
    await read(65_536);
    await read(65_536);
    expect(sizes.at(-1)?.bytes).toBeLessThanOrEqual(targetBytes);
    for (let reads = 0; reads < 8; reads += 1) await read(300);
    expect(sizes.at(-1)?.events).toBe(500);
  });

  test('halves the limit after a failed read', async () => {
    const { read, fail, sizes } = openEndlessLog();
    await expect(fail()).rejects.toThrow('unavailable');
    await read(1_000);
    expect(sizes[0]?.events).toBe(2);
    for (let failures = 0; failures < 10; failures += 1) await expect(fail()).rejects.toThrow('unavailable');
    await read(1_000);
    expect(sizes[1]?.events).toBe(1);
  });

  test('does not double the limit after a page that is not full', async () => {
    const { read, sizes } = openEndlessLog();
    for (let reads = 0; reads < 10; reads += 1) await read(300, 3);
    await read(300);
    expect(sizes.at(-1)?.events).toBe(4);
  });

  test('doubles the limit once for concurrent reads', async () => {
    const { readPage, read, sizes } = openEndlessLog();
    const fetches: PromiseWithResolvers<LogRecord[]>[] = [];
    const pages = Array.from({ length: 20 }, () =>
      readPage(() => {
        const fetch = Promise.withResolvers<LogRecord[]>();
        fetches.push(fetch);
        return fetch.promise;
      }),
    );
    for (const fetch of fetches) fetch.resolve(Array.from({ length: 4 }, () => makeRecord(300)));
    await Promise.all(pages);
    await read(300);
    expect(sizes[0]?.events).toBe(8);
  });
});
