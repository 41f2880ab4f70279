import type { Backend } from '@widget-service/shared/ports/backend.ts';

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
