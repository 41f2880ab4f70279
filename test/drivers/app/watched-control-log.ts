import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import type { ControlEntry, ControlLog } from '@widget-service/shared/ports/control-log.ts';
import { openTestApp, type TestApp, type TestAppOptions } from './test-app.ts';

/** A control log that records the announced entries. A test can make its announcements fail. */
export interface WatchedControlLog extends ControlLog {
  /** The entries that were announced successfully, in order. */
  readonly announced: ControlEntry[];
  /** While true, `announce` throws an UnavailableError. */
  isUnavailable: boolean;
}

/** Opens the app with a watched control log. */
export async function openAppWithWatchedControlLog(
  options?: Pick<TestAppOptions, 'clock'>,
): Promise<{ service: TestApp; control: WatchedControlLog }> {
  let control: WatchedControlLog | undefined;
  const service = await openTestApp({
    ...options,
    replace: (real) => {
      control = watchControlLog(real.control);
      return { control };
    },
  });
  return { service, control: control! };
}

function watchControlLog(real: ControlLog): WatchedControlLog {
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
