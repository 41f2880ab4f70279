import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import type { ControlEntry, ControlLog } from '@widget-service/shared/ports/control-log.ts';

/** A control log that keeps what is announced on it, and can be made to fail. */
export interface WatchedControl extends ControlLog {
  readonly announced: ControlEntry[];
  isAway: boolean;
}

export function watchControl(real: ControlLog): WatchedControl {
  const watched: WatchedControl = {
    announced: [],
    isAway: false,
    announce: async (entry) => {
      if (watched.isAway) throw new UnavailableError('control log: away for this test');
      await real.announce(entry);
      watched.announced.push(entry);
    },
    openTail: () => real.openTail(),
  };
  return watched;
}
