import type { HookOperation, Recording } from '../drivers/cluster/recording.ts';
import type { TimeRange } from '../faults/recording-queries.ts';
import type { StoredState } from '../faults/stored-state.ts';

/**
 * Everything that checkers judge: what clients saw, what the stores hold when all is idle, and what the processes
 * report.
 */
export interface Evidence {
  readonly recording: Recording;
  readonly stored: StoredState;
  /** Everything that must not contain a secret: logs, metrics, problem bodies, stores. The key names the place. */
  readonly texts: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  /** The running processes. */
  readonly processes: readonly ProcessFigures[];
  /** Number of EventSources with an open response. */
  readonly clientsOpen: number;
  readonly allowed: Allowances;
}

export interface ProcessFigures {
  readonly name: string;
  /** Why the process is not ready. Empty if it is. */
  readonly problems: string;
  /** A pod's own count. Null for a worker. */
  readonly streamsOpen: number | null;
  /** Heap in use after garbage collection: now, and at the first measurement. Null where it cannot be measured. */
  readonly heapUsedBytes: number | null;
  readonly heapAtFirstBytes: number | null;
}

/** What a fault may cost, and nothing more. */
export interface Allowances {
  /** Events may be missing if a `stream.gap` announced it: Redis has lost data. An effect may never be missing. */
  readonly gaps: boolean;
  /** Hooks that were accepted in this time may be lost: Redis has lost its queue before they were processed. */
  readonly lostQueue?: TimeRange;
  /** For so long after an election, MongoDB shows an earlier state. A revocation may apply that much later. */
  readonly staleMs: number;
}

/** Returns one text per violation of one invariant. Pure: the same evidence always gives the same result. */
export type Checker = (evidence: Evidence) => string[];

/** Returns whether the fault may have cost every acceptance of a hook. */
export function mayBeLost({ allowed: { lostQueue } }: Evidence, operations: readonly HookOperation[]): boolean {
  if (lostQueue === undefined) return false;
  const accepted = operations.filter(({ outcome }) => outcome === 'ok');
  return accepted.every(({ endedAtMs }) => endedAtMs >= lostQueue.fromMs && endedAtMs <= lostQueue.toMs);
}
