import type { ControlLog } from '@widget-service/shared/ports/control-log.ts';
import type { Evictable } from './token-cache.ts';

/**
 * Returns the control log for the use cases of a pod. What the pod itself has changed takes effect on it at once; the
 * other pods read it from the log.
 */
export function announceHereFirst(
  control: Pick<ControlLog, 'announce'>,
  sessions: Pick<Evictable, 'evict'>,
): Pick<ControlLog, 'announce'> {
  return {
    announce: (entry) => {
      sessions.evict(entry.id);
      return control.announce(entry);
    },
  };
}
