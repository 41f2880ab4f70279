import type { HookKind } from '@widget-service/shared/domain/hook-event.ts';

/** So long clients and faults go on; then everything heals. */
export const planMs = 20_000;

/**
 * What happens in one simulation from outside: what clients do, and what goes wrong. All else (how long each message
 * takes, and so what comes before what) follows from the seed. An entry can be taken out and the rest still means
 * something: this is how a failing plan is made small.
 */
export interface Plan {
  readonly settings: PlanSettings;
  readonly operations: readonly Operation[];
  readonly faults: readonly Fault[];
}

export interface PlanSettings {
  readonly pods: number;
  readonly workers: number;
  readonly partitions: number;
  /** Events the log keeps. */
  readonly retentionCount: number;
  /** Events a pod keeps in memory. */
  readonly ringFrames: number;
  readonly unsentLimitBytes: number;
  /** After which a stream is asked to come back. */
  readonly streamLifetimeMs: number;
  /** How long it may take from the answer that a stream begins until it joins the others. */
  readonly joinMaxMs: number;
  /** By how much the calendars of some processes are ahead, in milliseconds. */
  readonly clockAheadMs: Readonly<Record<string, number>>;
}

export type ServerName = 'database' | 'memory';
export type Role = 'worker' | 'pod';

export type Operation =
  | {
      readonly kind: 'create';
      readonly atMs: number;
      /** Creations with one number are one and the same; each is asked for by somebody else. */
      readonly number: number;
      readonly hasKey: boolean;
      readonly name: string;
      readonly tries: number;
    }
  | {
      readonly kind: 'hook';
      readonly atMs: number;
      /** The number of the creation whose widget it concerns, once it is known; null: none. */
      readonly widget: number | 'unknown' | null;
      readonly hookKind: HookKind;
      /** What makes it the repetition of another hook; null: it is never one. */
      readonly key: string | null;
      /** How far the sender's clock is ahead, in milliseconds. */
      readonly senderAheadMs: number;
      readonly isPoison: boolean;
      readonly tries: number;
    }
  | { readonly kind: 'subscribe'; readonly atMs: number; readonly client: number; readonly isFiltered: boolean }
  | { readonly kind: 'stall' | 'leave'; readonly atMs: number; readonly client: number; readonly forMs: number };

/** Which call of a port, counted over all processes of a role. */
interface CallPlace {
  readonly role: Role;
  readonly call: string;
  readonly nth: number;
}

export type CallFate = 'never-arrives' | 'answer-lost' | 'late' | 'twice';

export type Fault =
  | { readonly kind: 'crash' | 'sleep'; readonly atMs: number; readonly process: string; readonly forMs: number }
  /** Is asked to stop, and started again. */
  | { readonly kind: 'restart'; readonly atMs: number; readonly process: string }
  | (CallPlace & {
      readonly kind: 'crash-at' | 'sleep-at';
      readonly moment: 'before' | 'after';
      readonly forMs: number;
    })
  | (CallPlace & {
      readonly kind: 'call';
      /** Of the call's round trips, from 0. */
      readonly trip: number;
      readonly fate: CallFate;
      /** How late it arrives. */
      readonly lateMs: number;
    })
  | {
      readonly kind: 'away';
      readonly atMs: number;
      readonly server: ServerName;
      readonly forMs: number;
      readonly isFrozen: boolean;
    }
  /** Nothing gets through any more, and nobody is told. */
  | {
      readonly kind: 'cut';
      readonly atMs: number;
      readonly server: ServerName;
      readonly process: string;
      readonly forMs: number;
    }
  /** Redis is gone for a while, or not at all, and comes back as it was so long before; null: empty. */
  | { readonly kind: 'lose'; readonly atMs: number; readonly forMs: number; readonly copyAgeMs: number | null }
  /** The same a while after the call, with a copy from right before it. */
  | (CallPlace & { readonly kind: 'lose-at'; readonly moment: 'before'; readonly previousMs: number })
  /** One more client comes, whose stream begins at the end of the log as it is in this moment. */
  | (CallPlace & { readonly kind: 'subscribe-at'; readonly moment: 'after' })
  /** All pods sleep from this moment on; when they wake, the log may be trimmed up to the number that it ended with. */
  | (CallPlace & {
      readonly kind: 'pods-sleep-at';
      readonly moment: 'after';
      readonly forMs: number;
      readonly isTrimmed: boolean;
    })
  | { readonly kind: 'trim'; readonly atMs: number; readonly keep: number }
  | (CallPlace & { readonly kind: 'trim-at'; readonly moment: 'before'; readonly keep: number })
  /** Jobs that run are given out again, as if they had never been started. */
  | { readonly kind: 'start-again'; readonly atMs: number }
  | (CallPlace & { readonly kind: 'start-again-at'; readonly moment: 'before' });
