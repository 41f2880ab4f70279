import type { HookOperation, Recording } from '../drivers/recording.ts';
import type { Stretch } from '../faults/outage.ts';
import type { StoredState } from '../faults/stored-state.ts';

/** All that checkers judge: what clients saw, what the stores hold at rest, and what the processes tell. */
export interface Evidence {
  readonly recording: Recording;
  readonly stored: StoredState;
  /** Everything that must not hold a secret: logs, metrics, bodies of refusals, stores; by the name of the place. */
  readonly texts: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  /** Those that run. */
  readonly processes: readonly ProcessFigures[];
  /** EventSources that have an open answer. */
  readonly clientsOpen: number;
  readonly allowed: Allowances;
}

export interface ProcessFigures {
  readonly name: string;
  /** What keeps it from being ready. */
  readonly problems: string;
  /** Of a pod, by its own count; null for a worker. */
  readonly streamsOpen: number | null;
  /** In use after garbage was collected: now, and when it was first looked at; null where it cannot be told. */
  readonly heapUsedBytes: number | null;
  readonly heapAtFirstBytes: number | null;
}

/** What a fault may cost. Nothing else may. */
export interface Allowances {
  /** Events may be missing that a `stream.gap` announced: Redis has lost data. Never an effect. */
  readonly gaps: boolean;
  /** Hooks that were accepted in this time may have come to nothing: Redis has lost its queue before they were run. */
  readonly lostQueue?: Stretch;
}

/** Looks for one kind of violation; every text names one. Pure: judging the same evidence twice says the same. */
export type Checker = (evidence: Evidence) => string[];

/** Whether every acceptance of a hook is one that the fault may have cost. */
export function mayBeLost({ allowed: { lostQueue } }: Evidence, operations: readonly HookOperation[]): boolean {
  if (lostQueue === undefined) return false;
  const accepted = operations.filter(({ outcome }) => outcome === 'ok');
  return accepted.every(({ endedAtMs }) => endedAtMs >= lostQueue.fromMs && endedAtMs <= lostQueue.toMs);
}
