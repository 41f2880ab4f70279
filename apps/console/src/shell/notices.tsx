import { useEffect } from 'preact/hooks';
import { formatDuration, formatTime } from '../parts/format.ts';
import { unknownTimeZone } from '../parts/time-zone.ts';
import { api, unreachableSinceMs } from '../service/service.ts';
import { clockErrorMs } from '../service/service-clock.ts';

const retryMs = 3_000;

/** One line for all that the page shows: since when the service does not answer, and so how old the data are. */
export function UnreachableNotice() {
  const sinceMs = unreachableSinceMs.value;
  const isUnreachable = sinceMs !== null;
  useEffect(() => {
    if (!isUnreachable) return;
    // Not every page reads again by itself.
    const retry = () => void api.GET('/api/v1/session').catch(() => undefined);
    const timer = setInterval(retry, retryMs);
    return () => clearInterval(timer);
  }, [isUnreachable]);
  return (
    <div role="status">
      {sinceMs === null ? null : (
        <p class="notice notice-warning">
          No answer from the service since {formatTime(sinceMs)}. Retrying… What you see may be out of date.
        </p>
      )}
    </div>
  );
}

/** An error of the clock of less than half of it is corrected without a word. */
const minuteMs = 60_000;

/** What is wrong with the clock or the time zone of this machine, and what the page does about it. */
export function MachineNotice() {
  const errorMs = clockErrorMs.value;
  const errorMinutes = Math.round(Math.abs(errorMs) / minuteMs);
  return (
    <div role="status">
      {errorMinutes === 0 ? null : (
        <p class="notice notice-warning">
          The clock of this machine is about {formatDuration(errorMinutes * minuteMs)}{' '}
          {errorMs > 0 ? 'ahead of' : 'behind'} the service's. This page goes by the service's clock.
        </p>
      )}
      {unknownTimeZone === null ? null : (
        <p class="notice notice-warning">
          This browser has no data of its time zone ({unknownTimeZone}). Times are in UTC.
        </p>
      )}
    </div>
  );
}
