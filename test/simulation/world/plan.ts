import type { HookKind } from '@widget-service/shared/domain/event-kind.ts';

type CallFault = Extract<Fault, { kind: 'call' }>;
type PlacedFault = Extract<Fault, { moment: 'before' | 'after' }>;

/** The faults that are planned for one call. */
export interface PlannedFaults {
  readonly fault: CallFault | null;
  readonly before: readonly PlacedFault[];
  readonly after: readonly PlacedFault[];
}

const noFaults: PlannedFaults = { fault: null, before: [], after: [] };

/** Counts the calls of each role, and returns the faults that are planned for each. */
export class CallFaults {
  readonly #counts = new Map<string, number>();
  readonly #planned = new Map<string, PlannedFaults>();
  #isStopped = false;

  constructor(faults: readonly Fault[]) {
    for (const fault of faults) {
      if (!('call' in fault)) continue;
      const key = `${fault.role} ${fault.call} ${fault.nth}`;
      const known = this.#planned.get(key) ?? noFaults;
      this.#planned.set(key, fault.kind === 'call' ? { ...known, fault } : addFault(known, fault));
    }
  }

  /** From now on, no call has a fault. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Returns the faults of the next call with this name. Call it once per call. */
  next(processName: string, call: string): PlannedFaults {
    if (this.#isStopped || this.#planned.size === 0) return noFaults;
    const place = `${processName.startsWith('pod') ? 'pod' : 'worker'} ${call}`;
    const nth = (this.#counts.get(place) ?? 0) + 1;
    this.#counts.set(place, nth);
    return this.#planned.get(`${place} ${nth}`) ?? noFaults;
  }
}

function addFault(known: PlannedFaults, fault: PlacedFault): PlannedFaults {
  return { ...known, [fault.moment]: [...known[fault.moment], fault] };
}

/** How long clients and faults go on. Then all faults end. */
export const planMs = 20_000;

/**
 * What happens in one simulation from outside: client operations and faults. Everything else follows from the seed,
 * such as how long each message takes, and so the order of events. Every entry can be removed and the rest stays
 * meaningful: this is how a failing plan is shrunk.
 */
export interface Plan {
  readonly settings: PlanSettings;
  readonly operations: readonly Operation[];
  readonly faults: readonly Fault[];
}

export interface PlanSettings {
  readonly pods: number;
  readonly workers: number;
  /** Replicas of the event log from which pods read new events. */
  readonly replicas: number;
  readonly partitions: number;
  /** How many events the log keeps. */
  readonly retentionCount: number;
  /** How many events a pod keeps in its ring. */
  readonly ringFrames: number;
  readonly unsentLimitBytes: number;
  /** After this time a pod asks the client to reconnect. */
  readonly streamLifetimeMs: number;
  /** The longest time from a stream's opening messages until it joins the hub. */
  readonly joinMaxMs: number;
  /** How far the calendars of some processes are ahead, in milliseconds. */
  readonly clockAheadMs: Readonly<Record<string, number>>;
}

export type ReplicaName = 'replica-1' | 'replica-2';
export type ServerName = 'database' | 'memory' | ReplicaName;
export type Role = 'worker' | 'pod';

export type Operation =
  | {
      readonly kind: 'create';
      readonly atMs: number;
      /** Creates with one number are the same create, sent by different clients. */
      readonly number: number;
      readonly hasKey: boolean;
      readonly name: string;
      readonly tries: number;
    }
  | {
      readonly kind: 'hook';
      readonly atMs: number;
      /** The number of the create whose widget the hook names, once it is answered. Null: no widget. */
      readonly widget: number | 'unknown' | null;
      readonly hookKind: HookKind;
      /** Hooks with the same key are repetitions. Null: never a repetition. */
      readonly key: string | null;
      /** How far the sender's clock is ahead, in milliseconds. */
      readonly senderAheadMs: number;
      readonly isPoison: boolean;
      readonly tries: number;
    }
  | { readonly kind: 'subscribe'; readonly atMs: number; readonly client: number; readonly isFiltered: boolean }
  | { readonly kind: 'stall' | 'leave'; readonly atMs: number; readonly client: number; readonly forMs: number };

/** The nth call with this name, counted over all processes of a role. */
interface CallPlace {
  readonly role: Role;
  readonly call: string;
  readonly nth: number;
}

export type CallFate = 'never-arrives' | 'answer-lost' | 'late' | 'twice';

export type Fault =
  | { readonly kind: 'crash' | 'sleep'; readonly atMs: number; readonly process: string; readonly forMs: number }
  /** The process stops as after SIGTERM, and is started again. */
  | { readonly kind: 'restart'; readonly atMs: number; readonly process: string }
  | (CallPlace & {
      readonly kind: 'crash-at' | 'sleep-at';
      readonly moment: 'before' | 'after';
      readonly forMs: number;
    })
  | (CallPlace & {
      readonly kind: 'call';
      /** The round trip of the call, from 0. */
      readonly trip: number;
      readonly fate: CallFate;
      /** The delay before it arrives. */
      readonly lateMs: number;
    })
  | {
      readonly kind: 'unavailable';
      readonly atMs: number;
      readonly server: ServerName;
      readonly forMs: number;
      readonly isFrozen: boolean;
    }
  /** Messages between the process and the server are lost. Neither side gets an error. */
  | {
      readonly kind: 'cut';
      readonly atMs: number;
      readonly server: ServerName;
      readonly process: string;
      readonly forMs: number;
    }
  /** Redis is down for `forMs` (0: not at all) and is restored as it was `copyAgeMs` before. Null: it is empty. */
  | { readonly kind: 'lose'; readonly atMs: number; readonly forMs: number; readonly copyAgeMs: number | null }
  /** Redis is restored, `delayMs` after the call, as it was immediately before the call. */
  | (CallPlace & { readonly kind: 'lose-at'; readonly moment: 'before'; readonly delayMs: number })
  /** A new client connects. Its stream starts at the current end of the log. */
  | (CallPlace & { readonly kind: 'subscribe-at'; readonly moment: 'after' })
  /** All pods sleep. When they wake, and if `isTrimmed`, the log is trimmed up to its end at the call. */
  | (CallPlace & {
      readonly kind: 'pods-sleep-at';
      readonly moment: 'after';
      readonly forMs: number;
      readonly isTrimmed: boolean;
    })
  /** The replica receives nothing for `forMs`, and keeps what it has. */
  | { readonly kind: 'detach'; readonly atMs: number; readonly replica: ReplicaName; readonly forMs: number }
  | (CallPlace & {
      readonly kind: 'detach-at';
      readonly moment: 'before';
      readonly replica: ReplicaName;
      readonly forMs: number;
    })
  /** The replica receives nothing any more, or is down, also after all other faults have ended. */
  | { readonly kind: 'abandon'; readonly atMs: number; readonly replica: ReplicaName; readonly isDown: boolean }
  /** Redis is down for `forMs`. Then it has the events of the replica, which may lack the newest ones. */
  | { readonly kind: 'promote'; readonly atMs: number; readonly replica: ReplicaName; readonly forMs: number }
  | (CallPlace & {
      readonly kind: 'promote-at';
      readonly moment: 'after';
      readonly replica: ReplicaName;
      readonly forMs: number;
    })
  | { readonly kind: 'trim'; readonly atMs: number; readonly keep: number }
  | (CallPlace & { readonly kind: 'trim-at'; readonly moment: 'before'; readonly keep: number })
  /** Started jobs wait again, as if they had never been started. */
  | { readonly kind: 'restart-jobs'; readonly atMs: number }
  | (CallPlace & { readonly kind: 'restart-jobs-at'; readonly moment: 'before' });
