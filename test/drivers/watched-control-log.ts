import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import type { ControlEntry, ControlLog } from '@widget-service/shared/ports/control-log.ts';

/** A control log that records the announced entries. A test can make its announcements fail. */
export interface WatchedControlLog extends ControlLog {
  /** The entries that were announced successfully, in order. */
  readonly announced: ControlEntry[];
  /** While true, `announce` throws an UnavailableError. */
  isUnavailable: boolean;
}

export function watchControlLog(real: ControlLog): WatchedControlLog {
  const watched: WatchedControlLog = {
    announced: [],
    isUnavailable: false,
    announce: async (entry) => {
      if (watched.isUnavailable) throw new UnavailableError('control log: made unavailable by this test');
      await real.announce(entry);
      watched.announced.push(entry);
    },
    openTail: () => real.openTail(),
  };
  return watched;
}
