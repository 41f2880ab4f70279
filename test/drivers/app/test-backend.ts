import type { Backend } from '@widget-service/shared/ports/backend.ts';
import type { PayloadPlace } from '../../faults/unstorable-payloads.ts';

/** One backend with its own data, for one test file or one test. */
export interface TestBackend {
  /** The ports. `reopen` replaces them. */
  readonly backend: Backend;
  /** Closes the backend and opens it again on the same data. Only durable data remains. */
  reopen(): Promise<void>;
  /**
   * Opens the same data as another process would. The caller closes it. Undefined where only one process may use it.
   */
  readonly openPeer?: () => Promise<Backend>;
  /**
   * Enqueues a job with any text at the end of partition 0, which no version of the service would write. Returns the
   * job id. May reopen the backend, so no other code may use it meanwhile.
   */
  enqueueText(text: string): Promise<string>;
  /**
   * Makes every payload that contains `word` unstorable in the real store: in a widget's outbox, or in a ledger row.
   * Null ends this. May reopen the backend, so no other code may use it meanwhile.
   */
  rejectPayloads(where: PayloadPlace, word: string | null): Promise<void>;
  /** Where the rows are stored, for a test that damages them. Undefined in the simulation. */
  readonly place?: { readonly file: string } | { readonly database: string };
  /** Closes the backend and removes its data. */
  dispose(): Promise<void>;
}

export interface TestBackendOptions {
  /** The maximum number of events in the log. */
  readonly retentionCount?: number;
  /**
   * How long after a higher run the log still accepts a lower run, in milliseconds. The embedded log has no such limit.
   */
  readonly runAgeMaxMs?: number;
  readonly retentionMs?: number;
  readonly retentionBytes?: number;
  readonly deliveryRetentionMs?: number;
  readonly hookPartitions?: number;
  readonly onWarning?: (message: string, details?: object) => void;
}
