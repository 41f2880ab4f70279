import type { NumberedPosition, RunRegister } from '@widget-service/shared/ports/run-register.ts';
import { type Database, runDeadlineMs } from './database.ts';
import type { Link } from './link.ts';

export function createSimulatedRunRegister({ register }: Database, link: Link): RunRegister {
  return {
    next: () =>
      link.call('next', runDeadlineMs, (ask) =>
        ask(() => {
          register.run += 1;
          return { ...register };
        }),
      ),
    lastPosition: () => link.call('lastPosition', runDeadlineMs, (ask) => ask(() => register.lastPosition)),
    record: (position, over) =>
      link.call('record', runDeadlineMs, (ask) =>
        ask(() => {
          if (!isSame(over, register.lastPosition)) return false;
          register.lastPosition = position;
          return true;
        }),
      ),
  };
}

function isSame(a: NumberedPosition | null, b: NumberedPosition | null): boolean {
  return a?.epochRun === b?.epochRun && a?.epoch === b?.epoch && a?.ms === b?.ms && a?.seq === b?.seq;
}
