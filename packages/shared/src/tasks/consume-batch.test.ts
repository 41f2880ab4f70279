import { expect, it } from 'vitest';
import type { Delivery } from '../domain/delivery.ts';
import { UnavailableError } from '../domain/errors.ts';
import { createMetrics } from '../metrics/metrics.ts';
import type { ConsumedBatch } from '../ports/hook-queue.ts';
import { systemClock } from '../runtime/clock.ts';
import { createLogger } from '../runtime/logger.ts';
import { type ConsumeBatchDeps, consumeBatch } from './consume-batch.ts';

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

function buildBatch(signal: AbortSignal): ConsumedBatch {
  return {
    jobId: 'job',
    partition: 0,
    items: [{ type: 'delivery', delivery }],
    unreadable: [],
    startCount: 1,
    signal,
  };
}

/** Consumes a batch of one delivery. `lines` are the log lines as JSON, `failures` counts the failures of a store. */
async function consume(processBatch: ConsumeBatchDeps['processBatch'], signal = new AbortController().signal) {
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
      processBatch,
      stores,
      progress: { recordProgress: () => undefined },
      ledger: { markDead: async () => undefined },
      quarantine: { add: async () => undefined },
      clock: systemClock,
      logger,
      metrics: createMetrics(),
    },
    buildBatch(signal),
  );
  return { outcome, lines, failures };
}

it('logs the number of unstorable deliveries, not their payloads', async () => {
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

it('does not count a run that was aborted as a failure of a store', async () => {
  const abort = new AbortController();
  const { outcome, failures } = await consume(async () => {
    abort.abort();
    throw new UnavailableError('the run stopped before its append');
  }, abort.signal);
  expect({ outcome, failures }).toEqual({ outcome: 'release', failures: 0 });
});
