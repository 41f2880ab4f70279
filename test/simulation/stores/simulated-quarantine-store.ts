import type { QuarantineStore } from '@widget-service/shared/ports/quarantine-store.ts';
import { type Database, requestDeadlineMs } from './database.ts';
import type { Link } from './link.ts';

export function createSimulatedQuarantineStore({ quarantine }: Database, link: Link): QuarantineStore {
  return {
    add: ({ id, text }) =>
      link.call('quarantine', requestDeadlineMs, (ask) =>
        ask(() => {
          if (!quarantine.has(id)) quarantine.set(id, text);
        }),
      ),
    list: (limit) =>
      link.call('listSetAside', requestDeadlineMs, (ask) =>
        ask(() => [...quarantine].slice(0, limit).map(([id, text]) => ({ id, text }))),
      ),
  };
}
