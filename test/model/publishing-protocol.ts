import { listLosses, listTrims, passHour } from './event-log-model.ts';
import { type Exploration, exploreEvery } from './explore.ts';
import type { Rule } from './publishing-rules.ts';
import {
  type Actor,
  type ActorPlan,
  changeActor,
  createStartState,
  type State,
  type World,
} from './publishing-state.ts';
import { makeKey } from './publishing-state-key.ts';
import { RunStep } from './publishing-steps.ts';
import { findViolation } from './publishing-violations.ts';

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
