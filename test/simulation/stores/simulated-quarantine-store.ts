import type { QuarantinedText, QuarantineRow, QuarantineStore } from '@widget-service/shared/ports/quarantine-store.ts';
import { type Database, requestDeadlineMs } from './database.ts';
import type { Link } from './link.ts';

export function createSimulatedQuarantineStore({ quarantine }: Database, link: Link): QuarantineStore {
  const call = <Result>(name: string, work: () => Result) => link.call(name, requestDeadlineMs, (send) => send(work));
  return {
    add: (text) =>
      call('quarantine', () => {
        if (!quarantine.has(text.id)) quarantine.set(text.id, text);
      }),
    get: (id) =>
      call('getQuarantined', () => {
        const found = quarantine.get(id);
        return found === undefined ? null : { ...toRow(found), text: found.text };
      }),
    list: ({ offset, limit }) =>
      call('listQuarantined', () =>
        [...quarantine.values()]
          .sort((a, b) => b.quarantinedAt.getTime() - a.quarantinedAt.getTime() || (a.id < b.id ? 1 : -1))
          .slice(offset, offset + limit)
          .map(toRow),
      ),
    count: (atMost) => call('countQuarantined', () => Math.min(atMost, quarantine.size)),
    discard: (id) =>
      call('discardQuarantined', () => {
        const found = quarantine.get(id);
        quarantine.delete(id);
        return found === undefined ? null : toRow(found);
      }),
  };
}

function toRow({ text, ...row }: QuarantinedText): QuarantineRow {
  return { ...row, sizeBytes: Buffer.byteLength(text) };
}
