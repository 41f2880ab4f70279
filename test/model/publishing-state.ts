/** What the model of a run knows (docs/data-path.md): one widget, hooks without one, the stores, and several runs. */

type Step =
  | 'start'
  /** Like the start, after a refusal. */
  | 'again'
  | 'claim'
  | 'read'
  | 'ledger'
  | 'effect'
  | 'position'
  | 'append'
  | 'record'
  | 'confirm'
  | 'mark'
  | 'pull'
  | 'settle'
  | 'bury'
  | 'done'
  | 'dead';

/** An event and the widget's version after it; 0 for a hook without a widget. */
export type Entry = readonly [event: string, version: number];

/** Where an event stands in the log. `ms` is another one for every append, as if each took place at its own time. */
export interface Position {
  readonly epoch: number;
  readonly seq: number;
  readonly ms: number;
}

/** One try at processing a batch. */
export interface Actor {
  readonly step: Step;
  readonly run: number;
  /** What the claim has read: the version, and the outbox; then the outbox as this run has left it. */
  readonly version: number;
  readonly read: readonly Entry[];
  /** What is still to be applied, and what is to be told without a widget. */
  readonly todo: readonly string[];
  readonly loose: readonly string[];
  readonly rejected: readonly string[];
  /** What the log must know. */
  readonly expected: Position | null;
  /** The log's end after this run's append. */
  readonly appended: Position | null;
  /** Has slept longer than a guard outlives its settling. */
  readonly isOld: boolean;
}

/** All that a Redis would lose together. An epoch is its own number: that of the run that began it. */
export interface LogState {
  readonly epoch: number;
  readonly seq: number;
  readonly ms: number;
  readonly entries: readonly (readonly [event: string, version: number, epoch: number, seq: number, ms: number])[];
  /** What retention has dropped, and the place of the last of it: the first entry tells which one it came after. */
  readonly dropped: readonly string[];
  readonly oldest: Pick<Position, 'seq' | 'ms'>;
  /** The highest version appended. It knows no epoch: what was told before the log began anew is not told again. */
  readonly watermark: number;
  readonly isWatermarkSettled: boolean;
  readonly guards: readonly (readonly [event: string, isSettled: boolean])[];
}

export interface State {
  readonly version: number;
  readonly fence: number;
  readonly outbox: readonly Entry[];
  /** The hooks that took effect, and the creation. */
  readonly applied: readonly string[];
  readonly published: readonly string[];
  readonly deadLetters: readonly string[];
  readonly log: LogState;
  /**
   * The first place where each event was put: the log may have lost it since. Who was told that it began anew after that
   * has read what the event did.
   */
  readonly told: Readonly<Record<string, Position>>;
  readonly lastPosition: Position | null;
  /** An older copy of the log, which may come back. */
  readonly copy: LogState | null;
  readonly lossesLeft: number;
  readonly trimsLeft: number;
  readonly hoursLeft: number;
  readonly appends: number;
  readonly counter: number;
  readonly refusalsLeft: number;
  /** Whether the store refuses hooks that begin with `p`. */
  readonly isRefusing: boolean;
  readonly actors: readonly Actor[];
}

export interface ActorPlan {
  readonly batch: readonly string[];
  /** May stop for ever before any step; others may only be slow. */
  readonly mayDie: boolean;
  /** Starts only once this other actor has: the same job, given out again. */
  readonly after?: number;
  /** Its hooks are dead letters that are tried again; it starts once they are. */
  readonly redrive?: boolean;
}

export interface World {
  readonly actors: readonly ActorPlan[];
  /** How often a refused run may start again; so that the model ends. */
  readonly refusals?: number;
  /** How often an hour may pass, in which settled guards expire. */
  readonly hours?: number;
  /** How often the log may come back as it was at some moment before. */
  readonly losses?: number;
  /** How often retention may drop events, as many as it may. */
  readonly trims?: number;
}

/** Hooks without a widget begin with `l`; those that a store may refuse with `p`. */
export const isLoose = (event: string) => event.startsWith('l');
export const isRefusable = (event: string) => event.startsWith('p');

export const idle: Actor = {
  step: 'start',
  run: 0,
  version: 0,
  read: [],
  todo: [],
  loose: [],
  rejected: [],
  expected: null,
  appended: null,
  isOld: false,
};

export function startOf(world: World): State {
  return {
    version: 1,
    fence: 0,
    outbox: [['create', 1]],
    applied: ['create'],
    published: [],
    deadLetters: [],
    log: {
      epoch: 0,
      seq: 0,
      ms: 0,
      entries: [],
      dropped: [],
      oldest: { seq: 0, ms: 0 },
      watermark: 0,
      isWatermarkSettled: false,
      guards: [],
    },
    told: {},
    lastPosition: null,
    copy: null,
    lossesLeft: world.losses ?? 0,
    trimsLeft: world.trims ?? 0,
    hoursLeft: world.hours ?? 0,
    appends: 0,
    counter: 0,
    refusalsLeft: world.refusals ?? 1,
    isRefusing: world.actors.some(({ batch }) => batch.some(isRefusable)),
    actors: world.actors.map(() => idle),
  };
}

/** The state in which one actor has changed. */
export function withActor(state: State, index: number, change: Partial<Actor>): State {
  // What an ended actor knew makes no difference any more.
  const hasEnded = change.step === 'done' || change.step === 'dead';
  const actors = state.actors.map((actor, at) => {
    if (at !== index) return actor;
    return hasEnded ? { ...idle, step: change.step as Actor['step'] } : { ...actor, ...change };
  });
  return { ...state, actors };
}
