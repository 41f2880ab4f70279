import type { QuarantineStore } from '@widget-service/shared/ports/quarantine-store.ts';
import { type Database, requestDeadlineMs } from './database.ts';
import type { Link } from './link.ts';

export function createSimulatedQuarantineStore({ quarantine }: Database, link: Link): QuarantineStore {
  return {
    add: ({ id, text }) =>
      link.call('quarantine', requestDeadlineMs, (send) =>
        send(() => {
          if (!quarantine.has(id)) quarantine.set(id, text);
        }),
      ),
  };
}
