import { hasLostTail, listLosses, listTrims, passHour } from './event-log-model.ts';
import type { Rule } from './publishing-rules.ts';
import {
  type Actor,
  type ActorPlan,
  changeActor,
  createStartState,
  isWithoutWidget,
  type LogState,
  type Position,
  type State,
  type World,
} from './publishing-state.ts';
import { RunStep } from './publishing-steps.ts';

/** A world that is small enough to explore every reachable state. States are plain data. */
interface Model<State> {
  readonly start: State;
  /** Returns a key that differs for different states. Short keys make the search faster. */
  readonly makeKey: (state: State) => string;
  /** Returns every state that may come next. */
  readonly listSuccessors: (state: State) => Iterable<State>;
  /** Returns what is wrong with a state, or null. */
  readonly findViolation: (state: State) => string | null;
}

interface Exploration {
  readonly states: number;
  readonly violation: string | null;
  /** The keys of the states from the start to the violation. Empty without a violation. */
  readonly path: readonly string[];
}

/** Explores every reachable state, breadth first, so the path to a violation is one of the shortest. */
function exploreEvery<State>({ start, makeKey, listSuccessors, findViolation }: Model<State>): Exploration {
  const startKey = makeKey(start);
  const predecessors = new Map<string, string | null>([[startKey, null]]);
  let frontier: [string, State][] = [[startKey, start]];
  while (frontier.length > 0) {
    const next: [string, State][] = [];
    for (const [from, state] of frontier) {
      for (const successor of listSuccessors(state)) {
        const key = makeKey(successor);
        if (predecessors.has(key)) continue;
        predecessors.set(key, from);
        const violation = findViolation(successor);
        if (violation !== null) return { states: predecessors.size, violation, path: buildPath(key, predecessors) };
        next.push([key, successor]);
      }
    }
    frontier = next;
  }
  return { states: predecessors.size, violation: null, path: [] };
}

function buildPath(key: string, predecessors: ReadonlyMap<string, string | null>): string[] {
  const path: string[] = [];
  for (let at: string | null = key; at !== null; at = predecessors.get(at) ?? null) path.unshift(at);
  return path;
}

/**
 * Returns a key that differs for different states. Run numbers count only by their order as long as no epoch carries
 * one. So states that differ only in run numbers have one key.
 */
function makeKey(world: World, state: State): string {
  const mayLose = world.losses !== undefined;
  const runs = state.actors.map(({ run }) => run);
  const { highestRun, lowestRun } = state.log;
  const numbers = [...new Set([highestRun, lowestRun, ...runs])].sort((a, b) => a - b);
  const rank = (run: number) => (mayLose ? run : numbers.indexOf(run));
  const { version, outbox, applied, published, deadLetters, restartsLeft, isStoreRejecting, hoursLeft } = state;
  const widget = `${version}/${outbox}/${applied.toSorted()}/${rank(highestRun)}/${rank(lowestRun)}`;
  const others = `${published}/${deadLetters}/${restartsLeft}/${isStoreRejecting}/${hoursLeft}`;
  const actors = state.actors.map((actor) => `${rank(actor.run)}/${makeActorKey(actor)}`);
  const key = `${widget} ${others} ${makeLogKey(state.log)} ${actors.join(' ')}`;
  return mayLose ? `${key} ${makeLossKey(state)}` : key;
}

/** Caches keys per object: most parts of a state are the same objects as in the state before. */
function memoize<T extends object>(make: (value: T) => string): (value: T) => string {
  const known = new WeakMap<T, string>();
  return (value) => {
    const key = known.get(value) ?? make(value);
    known.set(value, key);
    return key;
  };
}

const makeActorKey = memoize((actor: Actor) => {
  const { step, run, version, read, pending, withoutWidget, unstorable, expected, appended } = actor;
  if (run === 0) return step;
  const positions = `${makePositionKey(expected)}/${makePositionKey(appended)}`;
  return `${step}/${version}/${read}/${pending}/${withoutWidget}/${unstorable}/${positions}`;
});

/** Without `highestRun` and `lowestRun`: `makeKey` adds their ranks. */
const makeLogKey = memoize((log: LogState) => {
  const { epoch, seq, ms, entries, trimmed, oldest, eventMarks, watermark, isWatermarkExpiring } = log;
  const gone = `${trimmed}/${oldest.seq}.${oldest.ms}`;
  return `${epoch}/${seq}/${ms}/${entries}/${gone}/${eventMarks}/${watermark}/${isWatermarkExpiring}`;
});

function makeLossKey({ firstPositions, lastPosition, copy, lossesLeft, trimsLeft, lastRun, appends }: State): string {
  const places = Object.entries(firstPositions).map(([event, at]) => `${event}:${makePositionKey(at)}`);
  const left = `${lossesLeft}/${trimsLeft}/${lastRun}/${appends}`;
  return `${places.sort()}/${makePositionKey(lastPosition)}/${copy && makeLogKey(copy)}/${left}`;
}

function makePositionKey(position: Position | null): string {
  return position === null ? '' : `${position.epoch}.${position.seq}.${position.ms}`;
}

/** Returns a description of the first invariant that the state violates, or null. */
function findViolation(world: World, state: State): string | null {
  const { applied, log } = state;
  if (new Set(applied).size !== applied.length) return `an effect took place twice: ${applied}`;
  return findOrderViolation(world, log.entries) ?? findLostEvent(state) ?? findLostHook(world, state);
}

function findOrderViolation(world: World, entries: State['log']['entries']): string | null {
  const text = () => JSON.stringify(entries);
  if (new Set(entries.map(([event]) => event)).size !== entries.length) return `an event was appended twice: ${text()}`;
  if (entries.some(([, , epoch]) => epoch !== entries[0]?.[2])) return `the log holds two epochs: ${text()}`;
  const ofWidget = entries.filter(([event]) => !isWithoutWidget(event));
  const isRising = ofWidget.every(([, version], at) => version > (ofWidget[at - 1]?.[1] ?? 0));
  if (!isRising) return `out of order in the log: ${text()}`;
  const isDense = ofWidget.every(([, version], at) => version === at + 1);
  if (!isDense && !world.losses) return `a version is missing in the log: ${text()}`;
  return null;
}

/**
 * Every event that took effect or is marked published is in the log, was trimmed, or is announced as missed. One that
 * is not marked yet may be in the outbox instead.
 */
function findLostEvent(state: State): string | null {
  const { log, outbox, published, applied, lastPosition } = state;
  for (const event of [...published, ...applied]) {
    if (log.entries.some(([appended]) => appended === event) || log.trimmed.includes(event)) continue;
    if (!published.includes(event) && outbox.some(([waiting]) => waiting === event)) continue;
    const at = state.firstPositions[event];
    if (at === undefined) return `${event} is marked published, or is no longer in the outbox, but was never appended`;
    // The event is lost with an old epoch, or the next append will notice the loss.
    const isAnnounced = at.epoch !== log.epoch || hasLostTail(log, lastPosition);
    if (!isAnnounced) return `${event} is gone from the log, and nothing announces it`;
  }
  return null;
}

/**
 * A run that is done leaves none of its hooks behind: each took effect, is published, is a dead letter, or is in a
 * redrive that has started and is not done. At the end, no hook both took effect and is a dead letter.
 */
function findLostHook(world: World, state: State): string | null {
  const { applied, published, deadLetters, actors, outbox } = state;
  const redriven = world.actors.flatMap(({ batch, isRedrive }, at) =>
    isRedrive && actors[at]?.step !== 'start' && actors[at]?.step !== 'done' ? batch : [],
  );
  const known = [...applied, ...published, ...deadLetters, ...redriven];
  for (const [index, { batch }] of world.actors.entries()) {
    if (actors[index]?.step !== 'done') continue;
    const lost = batch.filter((event) => !known.includes(event));
    if (lost.length > 0) return `a hook is lost: ${lost}`;
  }
  const isFinished = outbox.length === 0 && actors.every(({ step }) => step === 'done' || step === 'crashed');
  const both = deadLetters.filter((event) => applied.includes(event));
  return isFinished && both.length > 0 ? `took effect and is a dead letter: ${both}` : null;
}

/**
 * A model of runs of batches for one widget (docs/data-path.md), small enough to explore every interleaving of several
 * runs. It models the steps and rules of `process-batch.ts` and `publish-outbox.ts`, but no stores. Each step is one
 * call of a port.
 */

/** Explores every reachable state of `world`, with the rules in `without` removed. */
export function explore(world: World, without: readonly Rule[]): Exploration {
  return exploreEvery({
    start: createStartState(world),
    makeKey: (state) => makeKey(world, state),
    listSuccessors: (state) => listSuccessors(world, state, without),
    findViolation: (state) => findViolation(world, state),
  });
}

function* listSuccessors(world: World, state: State, without: readonly Rule[]): Generator<State> {
  yield* listLosses(state);
  yield* listTrims(state, without);
  if (state.hoursLeft > 0) yield* listHours(state, without);
  if (state.isStoreRejecting) yield { ...state, isStoreRejecting: false };
  for (const [index, plan] of world.actors.entries()) {
    const actor = state.actors[index] as Actor;
    if (actor.step === 'done' || actor.step === 'crashed') continue;
    if (actor.step === 'start' && !mayStart(state, plan)) continue;
    if (plan.mayCrash && actor.step !== 'start') yield changeActor(state, index, { step: 'crashed' });
    const next = new RunStep(world, state, index, without).execute();
    if (next !== null) yield next;
  }
}

function* listHours(state: State, without: readonly Rule[]): Generator<State> {
  const log = passHour(state.log, without);
  if (log === null) return;
  yield { ...state, log, hoursLeft: state.hoursLeft - 1 };
}

function mayStart(state: State, plan: ActorPlan): boolean {
  if (plan.isRedrive) return plan.batch.every((event) => state.deadLetters.includes(event));
  if (plan.batch.length === 0) return state.outbox.length > 0;
  return plan.after === undefined || state.actors[plan.after]?.step !== 'start';
}
