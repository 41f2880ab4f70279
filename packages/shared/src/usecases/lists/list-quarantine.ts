import type { PageRequest } from '../../domain/page.ts';
import type { QuarantineRow, QuarantineStore } from '../../ports/quarantine-store.ts';
import { type CountedPage, listCountedPage, type TooDeepPage } from './list-counted-page.ts';

/** Makes the function that lists the quarantined texts, newest first. Throws `UnavailableError`. */
export function makeListQuarantine({ quarantine }: { readonly quarantine: Pick<QuarantineStore, 'list' | 'count'> }) {
  const rows = {
    list: (_filter: null, range: Parameters<QuarantineStore['list']>[0]) => quarantine.list(range),
    count: (_filter: null, atMost: number) => quarantine.count(atMost),
  };
  return (request: PageRequest): Promise<CountedPage<QuarantineRow> | TooDeepPage> =>
    listCountedPage(rows, null, request);
}
