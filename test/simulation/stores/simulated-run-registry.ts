import type { ComparablePosition, RunRegistry } from '@widget-service/shared/ports/run-registry.ts';
import { type Database, runDeadlineMs } from './database.ts';
import type { Link } from './link.ts';

export function createSimulatedRunRegistry({ runRegistry: registry }: Database, link: Link): RunRegistry {
  return {
    startRun: () =>
      link.call('startRun', runDeadlineMs, (send) =>
        send(() => {
          registry.run += 1;
          return { ...registry };
        }),
      ),
    lastPosition: () => link.call('lastPosition', runDeadlineMs, (send) => send(() => registry.lastPosition)),
    recordPosition: (position, expected) =>
      link.call('recordPosition', runDeadlineMs, (send) =>
        send(() => {
          if (!isSamePosition(expected, registry.lastPosition)) return false;
          registry.lastPosition = position;
          return true;
        }),
      ),
  };
}

function isSamePosition(a: ComparablePosition | null, b: ComparablePosition | null): boolean {
  return a?.epochRun === b?.epochRun && a?.epoch === b?.epoch && a?.ms === b?.ms && a?.seq === b?.seq;
}
