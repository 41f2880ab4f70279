import type { World } from '../../simulation/world/world.ts';
import { eachCreationOnce } from './each-creation-once.ts';
import { eachHookOnce } from './each-hook-once.ts';
import { logIsInOrder } from './log-is-in-order.ts';
import { streamsHaveNoHole } from './streams-have-no-hole.ts';
import { widgetsAreTheFold } from './widgets-are-the-fold.ts';

const stepsAreKept = ({ history }: World) => [...history.missteps].map((misstep) => `step: ${misstep}`);

const checkers = [stepsAreKept, eachHookOnce, eachCreationOnce, logIsInOrder, streamsHaveNoHole, widgetsAreTheFold];

/** Everything that should not be, after all has come to rest; each begins with the name of its checker. */
export function violationsIn(world: World): string[] {
  return checkers.flatMap((check) => check(world));
}
