import type { ComparablePosition, RunRegistry } from '@widget-service/shared/ports/run-registry.ts';
import { type Database, runDeadlineMs } from './database.ts';
import type { Link } from './link.ts';

export function createSimulatedRunRegister({ register }: Database, link: Link): RunRegistry {
  return {
    startRun: () =>
      link.call('startRun', runDeadlineMs, (ask) =>
        ask(() => {
          register.run += 1;
          return { ...register };
        }),
      ),
    lastPosition: () => link.call('lastPosition', runDeadlineMs, (ask) => ask(() => register.lastPosition)),
    recordPosition: (position, over) =>
      link.call('recordPosition', runDeadlineMs, (ask) =>
        ask(() => {
          if (!isSame(over, register.lastPosition)) return false;
          register.lastPosition = position;
          return true;
        }),
      ),
  };
}

function isSame(a: ComparablePosition | null, b: ComparablePosition | null): boolean {
  return a?.epochRun === b?.epochRun && a?.epoch === b?.epoch && a?.ms === b?.ms && a?.seq === b?.seq;
}
