import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { databaseFileName } from '@widget-service/embedded/open-database.ts';
import { openEmbedded } from '@widget-service/embedded/open-embedded.ts';
import { rejectPayloadsInSqlite } from '../../faults/unstorable-payloads.ts';
import type { TestBackend, TestBackendOptions } from './test-backend.ts';

const dayMs = 24 * 60 * 60 * 1000;

/** Opens an embedded backend on its own SQLite file. */
export async function openEmbeddedTestBackend(options: TestBackendOptions): Promise<TestBackend> {
  const dataDir = await mkdtemp(join(tmpdir(), 'widget-service-test-'));
  const open = () =>
    openEmbedded({
      DATA_DIR: dataDir,
      EVENT_RETENTION_BYTES: 1024 ** 3,
      retention: {
        count: options.retentionCount ?? 1_000_000,
        ageMs: options.retentionMs ?? dayMs,
        bytes: options.retentionBytes ?? 1024 ** 3,
      },
      DELIVERY_RETENTION_MS: options.deliveryRetentionMs ?? 7 * dayMs,
      ...(options.onWarning === undefined ? {} : { onWarning: options.onWarning }),
    });
  let backend = await open();
  return {
    place: { file: join(dataDir, databaseFileName) },
    get backend() {
      return backend;
    },
    reopen: async () => {
      await backend.close();
      backend = await open();
    },
    enqueueText: async (text) => {
      await backend.close();
      const jobId = insertJob(dataDir, text);
      backend = await open();
      return jobId;
    },
    rejectPayloads: async (where, word) => {
      await backend.close();
      rejectPayloadsInSqlite(dataDir, where, word);
      backend = await open();
    },
    dispose: async () => {
      await backend.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Call this only while no process has the file open. */
function insertJob(dataDir: string, text: string): string {
  const jobId = `job-${randomUUID()}`;
  const db = new DatabaseSync(join(dataDir, databaseFileName));
  const insert = db.prepare(
    'INSERT INTO hook_jobs (job_id, partition, enqueued_at, items, body) VALUES (?, 0, 0, 1, ?)',
  );
  insert.run(jobId, text);
  db.close();
  return jobId;
}
