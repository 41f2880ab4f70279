/**
 * The state of the publishing model (docs/data-path.md): one widget, hooks without a widget, the stores, and several
 * runs.
 */

type Step =
  | 'start'
  /** Starts again under a new number. */
  | 'restart'
  | 'load'
  | 'ledger'
  | 'effect'
  | 'append'
  | 'record'
  | 'confirm'
  | 'mark'
  | 'remove'
  | 'number'
  | 'expire'
  | 'dead-letter'
  | 'done'
  | 'crashed';

/** An event and the widget's version after it. 0 for a hook without a widget. */
export type Entry = readonly [event: string, version: number];

/** A place in the log. Each append has its own `ms`. */
export interface Position {
  readonly epoch: number;
  readonly seq: number;
  readonly ms: number;
}

/** One run. */
export interface Actor {
  readonly step: Step;
  readonly run: number;
  /** `version` and `read` are the version and the outbox that the run loaded, and then what this run made of them. */
  readonly version: number;
  readonly read: readonly Entry[];
  /** `pending`: hooks to apply. `withoutWidget`: hooks to publish without a widget. */
  readonly pending: readonly string[];
  readonly withoutWidget: readonly string[];
  readonly unstorable: readonly string[];
  /** The position that the append is checked against. */
  readonly expected: Position | null;
  /** The log's end after this run's append. */
  readonly appended: Position | null;
}

/** Everything that Redis would lose together. An epoch is the number of the run that started it. */
export interface LogState {
  readonly epoch: number;
  readonly seq: number;
  readonly ms: number;
  readonly entries: readonly (readonly [event: string, version: number, epoch: number, seq: number, ms: number])[];
  /** Events that retention dropped, and the position of the last one: the predecessor of the first entry. */
  readonly trimmed: readonly string[];
  readonly oldest: Pick<Position, 'seq' | 'ms'>;
  /** The highest version appended, in any epoch: a new epoch does not append older versions again. */
  readonly watermark: number;
  readonly isWatermarkExpiring: boolean;
  readonly eventMarks: readonly (readonly [event: string, isExpiring: boolean])[];
  /** The highest run that the log knows, and the lowest one that it still accepts. */
  readonly highestRun: number;
  readonly lowestRun: number;
}

export interface State {
  readonly version: number;
  readonly outbox: readonly Entry[];
  /** The hooks that took effect, and the creation. */
  readonly applied: readonly string[];
  readonly published: readonly string[];
  readonly deadLetters: readonly string[];
  readonly log: LogState;
  /**
   * The first position of each event. The log may have lost it since. A subscriber that learned of the new epoch after
   * that has read the widget with the event's effect.
   */
  readonly firstPositions: Readonly<Record<string, Position>>;
  readonly lastPosition: Position | null;
  /** An older copy of the log that may be restored. */
  readonly copy: LogState | null;
  readonly lossesLeft: number;
  readonly trimsLeft: number;
  readonly hoursLeft: number;
  readonly appends: number;
  readonly lastRun: number;
  readonly restartsLeft: number;
  /** Whether the store rejects hooks that begin with `p`. */
  readonly isStoreRejecting: boolean;
  readonly actors: readonly Actor[];
}

export interface ActorPlan {
  readonly batch: readonly string[];
  /** May stop for ever before any step. Other actors can only be slow. */
  readonly mayCrash: boolean;
  /** Starts only after this other actor has started: the same job, started again. */
  readonly after?: number;
  /** The hooks are dead letters that are redriven. The actor starts once they are dead letters. */
  readonly isRedrive?: boolean;
}

export interface World {
  readonly actors: readonly ActorPlan[];
  /** How often a superseded run may start again. It bounds the model. */
  readonly restarts?: number;
  /** How often an hour may pass, in which expiring marks disappear. */
  readonly hours?: number;
  /** How often the log may be lost. */
  readonly losses?: number;
  /** How often retention may drop events. */
  readonly trims?: number;
}

/** Hooks without a widget begin with `l`. Hooks that the store may reject begin with `p`. */
export const isWithoutWidget = (event: string) => event.startsWith('l');
export const mayBeUnstorable = (event: string) => event.startsWith('p');

export const idle: Actor = {
  step: 'start',
  run: 0,
  version: 0,
  read: [],
  pending: [],
  withoutWidget: [],
  unstorable: [],
  expected: null,
  appended: null,
};

export const emptyLog: LogState = {
  epoch: 0,
  seq: 0,
  ms: 0,
  entries: [],
  trimmed: [],
  oldest: { seq: 0, ms: 0 },
  watermark: 0,
  isWatermarkExpiring: false,
  eventMarks: [],
  highestRun: 0,
  lowestRun: 0,
};

export function createStartState(world: World): State {
  return {
    version: 1,
    outbox: [['create', 1]],
    applied: ['create'],
    published: [],
    deadLetters: [],
    log: emptyLog,
    firstPositions: {},
    lastPosition: null,
    copy: null,
    lossesLeft: world.losses ?? 0,
    trimsLeft: world.trims ?? 0,
    hoursLeft: world.hours ?? 0,
    appends: 0,
    lastRun: 0,
    restartsLeft: world.restarts ?? 1,
    isStoreRejecting: world.actors.some(({ batch }) => batch.some(mayBeUnstorable)),
    actors: world.actors.map(() => idle),
  };
}

/** Returns the state in which one actor has changed. */
export function changeActor(state: State, index: number, change: Partial<Actor>): State {
  // The members of an ended actor make no difference. Resetting them keeps the number of states small.
  const hasEnded = change.step === 'done' || change.step === 'crashed';
  const actors = state.actors.map((actor, at) => {
    if (at !== index) return actor;
    return hasEnded ? { ...idle, step: change.step as Actor['step'] } : { ...actor, ...change };
  });
  return { ...state, actors };
}

export function isSamePosition(a: Position | null, b: Position | null): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

export function pickHigher(a: Position | null, b: Position | null): Position | null {
  if (a === null || b === null) return a ?? b;
  return a.epoch > b.epoch || (a.epoch === b.epoch && a.seq >= b.seq) ? a : b;
}
