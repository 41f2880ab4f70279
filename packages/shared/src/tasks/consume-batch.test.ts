import { expect, test } from 'vitest';
import type { Delivery } from '../domain/delivery.ts';
import { UnavailableError } from '../domain/errors.ts';
import type { QueueItem } from '../domain/queue-item.ts';
import { createMetrics } from '../metrics/metrics.ts';
import type { ConsumedBatch } from '../ports/hook-queue.ts';
import { systemClock } from '../runtime/clock.ts';
import { createLogger } from '../runtime/logger.ts';
import type { BatchProcessor } from '../usecases/hooks/process-batch.ts';
import { consumeBatch } from './consume-batch.ts';

const delivery: Delivery = {
  eventId: '01900000-0000-8000-8000-000000000001',
  integrationId: '01900000-0000-7000-8000-000000000002',
  kind: 'updated',
  occurredAt: '2026-03-01T10:00:00.000Z',
  widgetId: null,
  payload: '{"note":"not for the log"}',
  receivedAt: new Date('2026-03-01T10:00:00.000Z'),
  redrive: false,
};

function buildBatch(signal: AbortSignal, items: readonly QueueItem[]): ConsumedBatch {
  return {
    jobId: 'job',
    partition: 0,
    items,
    unreadable: [],
    startCount: 1,
    signal,
  };
}

/** Consumes a batch of one delivery. `lines` are the log lines as JSON, `failures` counts the failures of a store. */
async function consume(
  processBatch: BatchProcessor['process'],
  signal = new AbortController().signal,
  items: readonly QueueItem[] = [{ type: 'delivery', delivery }],
) {
  const lines: string[] = [];
  let failures = 0;
  const logger = await createLogger({ level: 'silent' });
  const record = (fields: object, message: string) => void lines.push(JSON.stringify({ ...fields, message }));
  Object.assign(logger, { info: record, warn: record, error: record });
  const stores = {
    unreachableSignal: new AbortController().signal,
    recordSuccess: () => undefined,
    recordFailure: () => {
      failures += 1;
    },
  };
  const outcome = await consumeBatch(
    {
      batches: { process: processBatch, waitForRuns: async () => undefined },
      stores,
      progress: { recordProgress: () => undefined },
      ledger: { markDead: async () => undefined },
      quarantine: { insert: async () => true },
      clock: systemClock,
      logger,
      metrics: createMetrics(),
    },
    buildBatch(signal, items),
  );
  return { outcome, lines, failures };
}

test('logs the number of unstorable deliveries, not their payloads', async () => {
  const published = {
    appendedReceivedAt: [],
    duplicates: 0,
    startedNewEpoch: false,
    unstorable: [{ delivery, cause: 'SQLite: too large' }],
  };
  const { outcome, lines } = await consume(async () => ({ status: 'published', run: 1, ...published }));
  expect(outcome).toBe('done');
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ message: 'batch.published', unstorable: 1 });
  expect(JSON.parse(lines[1] ?? '')).toMatchObject({ message: 'delivery.dead', cause: 'SQLite: too large' });
  expect(lines.join('\n')).not.toContain('not for the log');
});

test('does not count a run that was aborted as a failure of a store', async () => {
  const abort = new AbortController();
  const { outcome, failures } = await consume(async () => {
    abort.abort();
    throw new UnavailableError('the run stopped before its append');
  }, abort.signal);
  expect({ outcome, failures }).toEqual({ outcome: 'release', failures: 0 });
});

test('names the widgets of a batch of nudges that fails, but not all of many', async () => {
  const abort = new AbortController();
  const widgetIds = Array.from({ length: 20 }, (_, index) => `widget-${index}`);
  const items = widgetIds.map((widgetId): QueueItem => ({ type: 'nudge', widgetId }));
  const fail: BatchProcessor['process'] = async () => {
    abort.abort();
    return { status: 'not-applied', run: 1, error: new TypeError('the outbox is no list') };
  };
  const { lines } = await consume(fail, abort.signal, items);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    message: 'batch.not-applied',
    nudges: 20,
    widgetIds: widgetIds.slice(0, 5),
  });
});

test('names no widgets in the line of a batch that succeeds', async () => {
  const published = { appendedReceivedAt: [], duplicates: 0, startedNewEpoch: false, unstorable: [] };
  const { lines } = await consume(
    async () => ({ status: 'published', run: 1, ...published }),
    new AbortController().signal,
    [{ type: 'nudge', widgetId: 'widget-1' }],
  );
  expect(lines).toHaveLength(1);
  expect(lines[0]).not.toContain('widget-1');
});
