import type { QuarantinedText } from '@widget-service/shared/entities/quarantined-text.ts';
import type { Collection } from '@widget-service/shared/ports/collection.ts';
import { type Database, requestDeadlineMs } from './database.ts';
import type { Link } from './link.ts';

/** What the data path and its checkers use of the quarantine. */
export type SimulatedQuarantine = Pick<Collection<QuarantinedText>, 'insert' | 'get' | 'list'>;

export function createSimulatedQuarantine({ quarantine }: Database, link: Link): SimulatedQuarantine {
  const call = <Result>(name: string, work: () => Result) => link.call(name, requestDeadlineMs, (send) => send(work));
  return {
    insert: (text) =>
      call('quarantine', () => {
        if (quarantine.has(text.id)) return false;
        quarantine.set(text.id, text);
        return true;
      }),
    get: (id) => call('getQuarantined', () => quarantine.get(id) ?? null),
    list: (_where, { offset, limit }) =>
      call('listQuarantined', () =>
        [...quarantine.values()]
          .sort((a, b) => b.quarantinedAt.getTime() - a.quarantinedAt.getTime() || (a.id < b.id ? 1 : -1))
          .slice(offset, offset + limit)
          .map((text) => ({ ...text, text: '' })),
      ),
  };
}
