import type { SetAsideStore } from '@widget-service/shared/ports/set-aside-store.ts';
import { type Database, requestDeadlineMs } from './database.ts';
import type { Link } from './link.ts';

export function createSimulatedSetAsideStore({ setAside }: Database, link: Link): SetAsideStore {
  return {
    keep: ({ id, text }) =>
      link.call('keep', requestDeadlineMs, (ask) =>
        ask(() => {
          if (!setAside.has(id)) setAside.set(id, text);
        }),
      ),
    list: (limit) =>
      link.call('listSetAside', requestDeadlineMs, (ask) =>
        ask(() => [...setAside].slice(0, limit).map(([id, text]) => ({ id, text }))),
      ),
  };
}
