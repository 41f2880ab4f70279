import type { Backend } from '@widget-service/shared/ports/backend.ts';
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    backend: 'embedded' | 'cluster';
  }
}

/** One backend with data of its own, for one test file or one test. */
export interface TestBackend {
  /** The ports; after `reopen` the newly opened ones. */
  readonly backend: Backend;
  /** Closes and opens again on the same data: what is not durable is gone. */
  reopen(): Promise<void>;
  /** Closes, and removes the data. */
  dispose(): Promise<void>;
}

export interface TestBackendOptions {
  /** Events kept by the log. */
  readonly retentionCount?: number;
  readonly retentionMs?: number;
  readonly retentionBytes?: number;
  readonly deliveryRetentionMs?: number;
  readonly hookPartitions?: number;
}

/** Opens the backend that the running vitest project is about, on an own file, or an own database and key prefix. */
export async function openTestBackend(options: TestBackendOptions = {}): Promise<TestBackend> {
  if (inject('backend') === 'embedded')
    return (await import('./embedded-test-backend.ts')).openEmbeddedTestBackend(options);
  return (await import('./cluster-test-backend.ts')).openClusterTestBackend(options);
}
