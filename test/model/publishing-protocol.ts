/**
 * A model of one run of a batch for one widget (docs/data-path.md), small enough that every interleaving of several
 * runs can be looked at. It knows the steps and the guards, nothing of stores.
 */

/** What can be left out on purpose, to see that it is missed. */
export type Rule =
  /** The effect is written only where fence and version are as claimed. Either of the two suffices here. */
  'guard-of-the-effect' | 'outbox-is-looked-at' | 'mark-before-pull' | 'watermark' | 'ledger-after-claim';

type EventName = 'create' | 'a1' | 'a2' | 'b1';
type Entry = readonly [event: EventName, version: number];
type Step = 'start' | 'claim' | 'read' | 'ledger' | 'effect' | 'append' | 'mark' | 'pull' | 'done' | 'dead';

interface Actor {
  readonly step: Step;
  readonly run: number;
  /** What the claim has read. */
  readonly version: number;
  readonly read: readonly Entry[];
  /** What the ledger has left of the batch. */
  readonly todo: readonly EventName[];
}

interface State {
  readonly version: number;
  readonly fence: number;
  readonly outbox: readonly Entry[];
  readonly applied: readonly EventName[];
  readonly published: readonly EventName[];
  readonly log: readonly Entry[];
  readonly watermark: number;
  readonly counter: number;
  readonly refusalsLeft: number;
  readonly actors: readonly Actor[];
}

export interface ActorPlan {
  readonly batch: readonly EventName[];
  /** May stop for ever before any step; others may only be slow. */
  readonly mayDie: boolean;
  /** Starts only once this other actor has: the same job, given out again. */
  readonly after?: number;
}

/** A run, the same job given out again, another batch that repeats a hook, and a nudge. */
export const plans: readonly ActorPlan[] = [
  { batch: ['a1', 'a2'], mayDie: true },
  { batch: ['a1', 'a2'], mayDie: false, after: 0 },
  { batch: ['b1', 'a1'], mayDie: false },
  { batch: [], mayDie: true },
];

const idle: Actor = { step: 'start', run: 0, version: 0, read: [], todo: [] };

/** Looks at every reachable state without the `broken` rule; returns the first violation, or null and how many there are. */
export function explore(
  actors: readonly ActorPlan[],
  broken: Rule | null,
): { states: number; violation: string | null } {
  const start: State = {
    version: 1,
    fence: 0,
    outbox: [['create', 1]],
    applied: ['create'],
    published: [],
    log: [],
    watermark: 0,
    counter: 0,
    refusalsLeft: 1,
    actors: actors.map(() => idle),
  };
  const seen = new Set([keyOf(start)]);
  let frontier = [start];
  while (frontier.length > 0) {
    const next: State[] = [];
    for (const state of frontier) {
      for (const reached of successors(state, actors, broken)) {
        const key = keyOf(reached);
        if (seen.has(key)) continue;
        seen.add(key);
        const violation = violationIn(reached, actors);
        if (violation !== null) return { states: seen.size, violation };
        next.push(reached);
      }
    }
    frontier = next;
  }
  return { states: seen.size, violation: null };
}

function* successors(state: State, actors: readonly ActorPlan[], broken: Rule | null): Generator<State> {
  for (const [index, plan] of actors.entries()) {
    const actor = state.actors[index] as Actor;
    if (actor.step === 'done' || actor.step === 'dead') continue;
    if (actor.step === 'start' && !mayStart(state, plan)) continue;
    if (plan.mayDie && actor.step !== 'start') yield withActor(state, index, { step: 'dead' });
    yield* stepOf(state, index, plan, actor, broken);
  }
}

function mayStart(state: State, plan: ActorPlan): boolean {
  if (plan.batch.length === 0) return state.outbox.length > 0;
  return plan.after === undefined || state.actors[plan.after]?.step !== 'start';
}

function* stepOf(state: State, index: number, plan: ActorPlan, actor: Actor, broken: Rule | null): Generator<State> {
  const { run } = actor;
  const go = (to: Partial<State>, next: Partial<Actor>) => withActor({ ...state, ...to }, index, next);
  switch (actor.step) {
    case 'start':
      yield go(
        { counter: state.counter + 1 },
        { step: broken === 'ledger-after-claim' ? 'ledger' : 'claim', run: state.counter + 1 },
      );
      return;
    case 'claim':
      if (state.fence > run) yield* refused(state, index, plan);
      else yield go({ fence: run }, { step: 'read' });
      return;
    case 'read':
      if (state.fence > run) yield* refused(state, index, plan);
      else
        yield go(
          {},
          { step: broken === 'ledger-after-claim' ? 'effect' : 'ledger', version: state.version, read: state.outbox },
        );
      return;
    case 'ledger':
      yield go(
        {},
        {
          step: broken === 'ledger-after-claim' ? 'claim' : 'effect',
          todo: plan.batch.filter((event) => !state.published.includes(event)),
        },
      );
      return;
    case 'effect':
      yield* effect(state, index, plan, actor, broken);
      return;
    case 'append':
      yield go(append(state, actor.read, broken), { step: broken === 'mark-before-pull' ? 'pull' : 'mark' });
      return;
    case 'mark': {
      const told = actor.read
        .map(([event]) => event)
        .filter((event) => event !== 'create' && !state.published.includes(event));
      yield go(
        { published: [...state.published, ...told].sort() },
        { step: broken === 'mark-before-pull' ? 'done' : 'pull' },
      );
      return;
    }
    case 'pull': {
      const last = actor.read.at(-1)?.[1] ?? 0;
      const outbox = state.fence === run ? state.outbox.filter(([, version]) => version > last) : state.outbox;
      yield go({ outbox }, { step: broken === 'mark-before-pull' ? 'mark' : 'done' });
      return;
    }
    default:
  }
}

function* effect(state: State, index: number, plan: ActorPlan, actor: Actor, broken: Rule | null): Generator<State> {
  const waiting = broken === 'outbox-is-looked-at' ? [] : actor.read.map(([event]) => event);
  const fresh = actor.todo.filter((event) => !waiting.includes(event));
  const entries = fresh.map((event, at): Entry => [event, actor.version + at + 1]);
  const read = [...actor.read, ...entries];
  if (fresh.length === 0) {
    yield withActor(state, index, { step: 'append', read });
    return;
  }
  const isAsClaimed = state.fence === actor.run && state.version === actor.version;
  if (!isAsClaimed && broken !== 'guard-of-the-effect') {
    yield* refused(state, index, plan);
    return;
  }
  const changed = {
    ...state,
    version: actor.version + fresh.length,
    outbox: [...state.outbox, ...entries],
    applied: [...state.applied, ...fresh],
  };
  yield withActor(changed, index, { step: 'append', read });
}

function append(state: State, entries: readonly Entry[], broken: Rule | null): Partial<State> {
  let { log, watermark } = state;
  for (const entry of entries) {
    if (entry[1] <= watermark && broken !== 'watermark') continue;
    log = [...log, entry];
    watermark = Math.max(watermark, entry[1]);
  }
  return { log, watermark };
}

/** Starts again under a new number, a bounded number of times so that the model ends. */
function* refused(state: State, index: number, plan: ActorPlan): Generator<State> {
  if (state.refusalsLeft === 0 || plan.mayDie) yield withActor(state, index, { ...idle, step: 'dead' });
  else yield withActor({ ...state, refusalsLeft: state.refusalsLeft - 1 }, index, idle);
}

function withActor(state: State, index: number, change: Partial<Actor>): State {
  // What an ended actor knew makes no difference any more.
  const known = change.step === 'done' || change.step === 'dead' ? idle : state.actors[index];
  const actors = state.actors.map((actor, at) => (at === index ? { ...actor, ...known, ...change } : actor));
  return { ...state, actors };
}

function violationIn(state: State, actors: readonly ActorPlan[]): string | null {
  const told = state.log.map(([event]) => event);
  const waiting = state.outbox.map(([event]) => event);
  if (new Set(state.applied).size !== state.applied.length) return `an effect took place twice: ${state.applied}`;
  if (new Set(told).size !== told.length) return `an event was told twice: ${told}`;
  if (state.log.some(([, version], at) => version !== at + 1))
    return `order or hole on the log: ${JSON.stringify(state.log)}`;
  if (state.published.some((event) => !told.includes(event))) return 'marked as published, but not told';
  if (state.applied.some((event) => !told.includes(event) && !waiting.includes(event))) return 'an event is lost';
  for (const [index, { batch }] of actors.entries()) {
    const isDone = state.actors[index]?.step === 'done';
    if (isDone && batch.some((event) => !state.applied.includes(event))) return `an effect is lost: ${state.applied}`;
  }
  return null;
}

function keyOf(state: State): string {
  return JSON.stringify(Object.values(state));
}
