import { expect, it } from 'vitest';
import type { Delivery } from '../domain/delivery.ts';
import { createMetrics } from '../metrics/metrics.ts';
import type { ConsumedBatch } from '../ports/hook-queue.ts';
import { systemClock } from '../runtime/clock.ts';
import { createLogger } from '../runtime/logger.ts';
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

it('logs the number of unstorable deliveries, not their payloads', async () => {
  const lines: string[] = [];
  const logger = await createLogger({ level: 'silent' });
  const record = (fields: object, message: string) => void lines.push(JSON.stringify({ ...fields, message }));
  Object.assign(logger, { info: record, warn: record, error: record });
  const batch: ConsumedBatch = {
    jobId: 'job',
    partition: 0,
    items: [{ type: 'delivery', delivery }],
    unreadable: [],
    startCount: 1,
    signal: new AbortController().signal,
  };
  const outcome = await consumeBatch(
    {
      processBatch: async () => ({
        status: 'published',
        run: 1,
        appendedReceivedAt: [],
        duplicates: 0,
        startedNewEpoch: false,
        unstorable: [delivery],
      }),
      stores: {
        unreachableSignal: new AbortController().signal,
        recordSuccess: () => undefined,
        recordFailure: () => undefined,
      },
      ledger: { markDead: async () => undefined },
      quarantine: { add: async () => undefined },
      clock: systemClock,
      logger,
      metrics: createMetrics(),
    },
    batch,
  );
  expect(outcome).toBe('done');
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ message: 'batch.published', unstorable: 1 });
  expect(lines.join('\n')).not.toContain('not for the log');
});
