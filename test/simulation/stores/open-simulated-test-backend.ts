import { randomUUID } from 'node:crypto';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import type { TestBackend, TestBackendOptions } from '../../drivers/app/test-backend.ts';
import { Database } from './database.ts';
import { addJob } from './job-queue.ts';
import { createDirectLink } from './link.ts';
import { MemoryServer } from './memory-server.ts';
import { openSimulatedPorts } from './open-simulated-ports.ts';

const dayMs = 24 * 3_600_000;

/** The simulated ports in real time, without faults, for the conformance suites. */
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
      createRandomId: () => randomUUID().replaceAll('-', ''),
      lockDurationMs: 1_000,
      stalledIntervalMs: 500,
      onWarning: options.onWarning ?? (() => undefined),
    });
    // Removes expired rows like the embedded backend. It has only the ports of the data path.
    const removeExpired = async (now: Date) => forgetDone(database, now.getTime() - deliveryRetentionMs);
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
    openPeer: async () => open(),
    enqueueText: async (text) => {
      const jobId = `job-${randomUUID()}`;
      addJob(memory.state.queue, { jobId, partition: 0, text, addedAtMs: memory.nowMs });
      memory.enqueued.notify();
      return jobId;
    },
    rejectPayloads: async (where, text) => database.rejectPayloads(where, text),
    dispose: () => backend.close(),
  };
}

function forgetDone({ ledger, discardedAt }: Database, beforeMs: number): void {
  for (const [eventId, { publishedAt }] of ledger) {
    const doneAt = publishedAt ?? discardedAt.get(eventId) ?? null;
    if (doneAt !== null && doneAt.getTime() < beforeMs) ledger.delete(eventId);
  }
}
