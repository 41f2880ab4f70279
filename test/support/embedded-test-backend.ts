import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbedded } from '@widget-service/embedded/open-embedded.ts';
import type { TestBackend, TestBackendOptions } from './test-backend.ts';

const dayMs = 24 * 60 * 60 * 1000;

/** An embedded backend on a file of its own. */
export async function openEmbeddedTestBackend(options: TestBackendOptions): Promise<TestBackend> {
  const dataDir = await mkdtemp(join(tmpdir(), 'widget-service-test-'));
  const open = () =>
    openEmbedded({
      dataDir,
      retention: {
        count: options.retentionCount ?? 1_000_000,
        ageMs: options.retentionMs ?? dayMs,
        bytes: options.retentionBytes ?? 1024 ** 3,
      },
      deliveryRetentionMs: options.deliveryRetentionMs ?? 7 * dayMs,
    });
  let backend = await open();
  return {
    get backend() {
      return backend;
    },
    reopen: async () => {
      await backend.close();
      backend = await open();
    },
    dispose: async () => {
      await backend.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
