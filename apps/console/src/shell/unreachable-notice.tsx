import { useEffect } from 'preact/hooks';
import { formatTime } from '../parts/format.ts';
import { unreachableSinceMs } from '../service/reachability.ts';
import { api } from '../service/service.ts';
import { texts } from '../texts/texts.ts';

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
        <p class="notice notice-warning">{texts.general.unreachableSince(formatTime(sinceMs))}</p>
      )}
    </div>
  );
}
