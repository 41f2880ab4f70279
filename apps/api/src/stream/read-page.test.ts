import type { LogRecord } from '@widget-service/shared/ports/event-log.ts';
import { describe, expect, it } from 'vitest';
import { makeReadPage } from './log-reader.ts';

const targetBytes = 256 * 1024;
const nothing = { widgetId: null, state: null, stateBefore: null, labels: null };
const record = (bytes: number): LogRecord => ({
  ...{ epoch: 'now', ms: 1, seq: 1, previousMs: 1 },
  event: { eventId: 'e', type: 'widget.updated', ...nothing, json: 'x'.repeat(bytes) },
});

/** A log that has events of this size without end; `sizes` are of the pages that it was asked for. */
function endlessLog() {
  const readPage = makeReadPage(targetBytes);
  const sizes: { events: number; bytes: number }[] = [];
  const read = async (eventBytes: number, available = Number.POSITIVE_INFINITY) => {
    const event = record(eventBytes);
    const page = await readPage(async (limit) => Array.from({ length: Math.min(limit, available) }, () => event));
    sizes.push({ events: page.length, bytes: page.length * eventBytes });
  };
  const fail = () => readPage(() => Promise.reject(new Error('away')));
  return { readPage, sizes, read, fail };
}

describe('a page of the log', () => {
  it.each([
    ['small', 300, 500],
    ['ordinary', 1_000, 256],
    ['large', 65_536, 4],
  ])('soon has about as many bytes as it should, be its events %s', async (_, eventBytes, events) => {
    const { read, sizes } = endlessLog();
    for (let reads = 0; reads < 10; reads += 1) await read(eventBytes);
    expect(sizes[0]?.events).toBe(4);
    for (const { events: count } of sizes.slice(7)) expect(count).toBe(events);
  });

  it('has one event where one is more than a page should be', async () => {
    const { read, sizes } = endlessLog();
    for (let reads = 0; reads < 3; reads += 1) await read(1_048_576);
    expect(sizes.map(({ events }) => events)).toEqual([4, 1, 1]);
  });

  it('becomes small as soon as events become large, and large again when they are small', async () => {
    const { read, sizes } = endlessLog();
    for (let reads = 0; reads < 6; reads += 1) await read(300);
    await read(65_536);
    await read(65_536);
    expect(sizes.at(-1)?.bytes).toBeLessThanOrEqual(targetBytes);
    for (let reads = 0; reads < 8; reads += 1) await read(300);
    expect(sizes.at(-1)?.events).toBe(500);
  });

  it('is half as large after one that could not be read', async () => {
    const { read, fail, sizes } = endlessLog();
    await expect(fail()).rejects.toThrow('away');
    await read(1_000);
    expect(sizes[0]?.events).toBe(2);
    for (let fails = 0; fails < 10; fails += 1) await expect(fail()).rejects.toThrow('away');
    await read(1_000);
    expect(sizes[1]?.events).toBe(1);
  });

  it('does not grow by pages that the log could not fill', async () => {
    const { read, sizes } = endlessLog();
    for (let reads = 0; reads < 10; reads += 1) await read(300, 3);
    await read(300);
    expect(sizes.at(-1)?.events).toBe(4);
  });

  it('changes once for all that were read at once', async () => {
    const { readPage, read, sizes } = endlessLog();
    const asks: PromiseWithResolvers<LogRecord[]>[] = [];
    const pages = Array.from({ length: 20 }, () =>
      readPage(() => {
        const ask = Promise.withResolvers<LogRecord[]>();
        asks.push(ask);
        return ask.promise;
      }),
    );
    for (const ask of asks) ask.resolve(Array.from({ length: 4 }, () => record(300)));
    await Promise.all(pages);
    await read(300);
    expect(sizes[0]?.events).toBe(8);
  });
});
