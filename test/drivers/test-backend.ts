import type { Backend } from '@widget-service/shared/ports/backend.ts';
import type { PayloadPlace } from '../faults/refuse-payloads.ts';

/** One backend with data of its own, for one test file or one test. */
export interface TestBackend {
  /** The ports; after `reopen` the newly opened ones. */
  readonly backend: Backend;
  /** Closes and opens again on the same data: what is not durable is gone. */
  reopen(): Promise<void>;
  /**
   * Puts a job of any text at the end of partition 0, as no version of the service would, and returns its id. Opens the
   * backend anew where that is what it takes; nobody may be using it meanwhile.
   */
  enqueueText(text: string): Promise<string>;
  /**
   * Makes the real store refuse, for good, whatever has `word` in a payload: a widget's outbox or a row of the ledger.
   * Null lifts it. Opens the backend anew where that is what it takes; nobody may be using it meanwhile.
   */
  refusePayloads(where: PayloadPlace, word: string | null): Promise<void>;
  /**
   * Takes a copy of the event log with all that guards it; what is returned brings the log back as it was. Only where
   * the log can be lost apart from the other stores.
   */
  readonly copyLog?: () => Promise<() => Promise<void>>;
  /** Closes, and removes the data. */
  dispose(): Promise<void>;
}

export interface TestBackendOptions {
  /** Events kept by the log. */
  readonly retentionCount?: number;
  /** By how much a run may come after a later one, in milliseconds; the embedded log sets no such limit. */
  readonly runAgeMaxMs?: number;
  readonly retentionMs?: number;
  readonly retentionBytes?: number;
  readonly deliveryRetentionMs?: number;
  readonly hookPartitions?: number;
  readonly onWarning?: (message: string) => void;
}
