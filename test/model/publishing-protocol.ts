import { type Exploration, exploreEvery } from './explore.ts';
import { losses, trims, withoutExpired } from './published-log.ts';
import { keyOf } from './publishing-key.ts';
import { violationIn } from './publishing-promises.ts';
import type { Rule } from './publishing-rules.ts';
import { type Actor, type ActorPlan, type State, startOf, type World, withActor } from './publishing-state.ts';
import { Turn } from './publishing-turn.ts';

/**
 * A model of runs of batches for one widget (docs/data-path.md), small enough that every interleaving of several runs
 * can be looked at. It knows the steps and the guards of `process-batch.ts` and `publish-outbox.ts`, nothing of stores;
 * every step is one call of a port.
 */

/** Looks at every reachable state of `world` without the `broken` rules. */
export function explore(world: World, broken: readonly Rule[]): Exploration {
  return exploreEvery({
    start: startOf(world),
    keyOf: (state) => keyOf(world, state),
    successors: (state) => successors(world, state, broken),
    violationIn: (state) => violationIn(world, state),
  });
}

function* successors(world: World, state: State, broken: readonly Rule[]): Generator<State> {
  yield* losses(state);
  yield* trims(state, broken);
  if (state.hoursLeft > 0) yield* hour(state, broken);
  if (state.isRefusing) yield { ...state, isRefusing: false };
  for (const [index, plan] of world.actors.entries()) {
    const actor = state.actors[index] as Actor;
    if (actor.step === 'done' || actor.step === 'dead') continue;
    if (actor.step === 'start' && !mayStart(state, plan)) continue;
    if (plan.mayDie && actor.step !== 'start') yield withActor(state, index, { step: 'dead' });
    const next = new Turn(world, state, index, broken).next();
    if (next !== null) yield next;
  }
}

function* hour(state: State, broken: readonly Rule[]): Generator<State> {
  const log = withoutExpired(state.log, broken);
  if (log === null) return;
  const isUnderWay = ({ run }: Actor) => run > 0;
  const actors = state.actors.map((actor) => (isUnderWay(actor) ? { ...actor, isOld: true } : actor));
  yield { ...state, log, actors, hoursLeft: state.hoursLeft - 1 };
}

function mayStart(state: State, plan: ActorPlan): boolean {
  if (plan.redrive) return plan.batch.every((event) => state.deadLetters.includes(event));
  if (plan.batch.length === 0) return state.outbox.length > 0;
  return plan.after === undefined || state.actors[plan.after]?.step !== 'start';
}
