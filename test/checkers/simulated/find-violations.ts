import type { World } from '../../simulation/world/world.ts';
import { eachCreationOnce } from './each-creation-once.ts';
import { eachHookOnce } from './each-hook-once.ts';
import { logIsInOrder } from './log-is-in-order.ts';
import { streamsHaveNoHole } from './streams-have-no-hole.ts';
import { widgetsAreTheFold } from './widgets-are-the-fold.ts';

const stepsAreCorrect = ({ history }: World) => [...history.stepViolations].map((violation) => `step: ${violation}`);

const checkers = [stepsAreCorrect, eachHookOnce, eachCreationOnce, logIsInOrder, streamsHaveNoHole, widgetsAreTheFold];

/** Returns every violation, once all is idle. Each text starts with the name of its checker. */
export function findViolations(world: World): string[] {
  return checkers.flatMap((check) => check(world));
}
