import { randomUUID } from 'node:crypto';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import type { TestBackend, TestBackendOptions } from '../../drivers/test-backend.ts';
import { Database } from './database.ts';
import { addJob } from './job-queue.ts';
import { createDirectLink } from './link.ts';
import { MemoryServer } from './memory-server.ts';
import { openSimulatedPorts } from './open-simulated-ports.ts';

const dayMs = 24 * 3_600_000;

/** The simulated ports, in real time and with nothing in between, for the suites that all backends pass. */
export async function openSimulatedTestBackend(options: TestBackendOptions): Promise<TestBackend> {
  const database = new Database();
  const memory = new MemoryServer({
    partitions: options.hookPartitions ?? 2,
    retention: {
      count: options.retentionCount ?? 1_000_000,
      ageMs: options.retentionMs ?? dayMs,
      bytes: options.retentionBytes ?? 2 ** 30,
    },
    ...(options.runAgeMaxMs === undefined ? {} : { runAgeMaxMs: options.runAgeMaxMs }),
    nowMs: () => Date.now(),
  });
  const deliveryRetentionMs = options.deliveryRetentionMs ?? 7 * dayMs;
  const link = createDirectLink();
  const open = (): Backend => {
    const ports = openSimulatedPorts({
      database,
      memory,
      links: { database: link, memory: link },
      clock: systemClock,
      createWord: () => randomUUID().replaceAll('-', ''),
      lockDurationMs: 1_000,
      stalledIntervalMs: 500,
      onWarning: options.onWarning ?? (() => undefined),
    });
    // It removes what is over as the embedded backend does, and has only the ports of the data path.
    const removeExpired = async (now: Date) => forgetPublished(database, now.getTime() - deliveryRetentionMs);
    return { kind: 'embedded', ...ports, removeExpired } as unknown as Backend;
  };
  let backend = open();
  return {
    get backend() {
      return backend;
    },
    reopen: async () => {
      await backend.close();
      backend = open();
    },
    enqueueText: async (text) => {
      const jobId = `job-${randomUUID()}`;
      addJob(memory.state.queue, { jobId, partition: 0, text });
      memory.enqueued.ring();
      return jobId;
    },
    refusePayloads: async (where, word) => database.refusePayloads(where, word),
    dispose: () => backend.close(),
  };
}

function forgetPublished({ ledger }: Database, beforeMs: number): void {
  for (const [eventId, { publishedAt }] of ledger) {
    if (publishedAt !== null && publishedAt.getTime() < beforeMs) ledger.delete(eventId);
  }
}
