import type { Schemas } from '../../service/service.ts';

type Change = Pick<Schemas['Delivery'], 'state'> & { readonly effect: { readonly version: number } | null };

/** The last page of a widget's deliveries, and how many there are on all pages. */
interface LastPage {
  readonly items: readonly Change[];
  readonly page: number;
  readonly totalItems: number;
}

/**
 * Returns the versions between the creation (version 1) and the oldest listed change: the service no longer has the
 * hooks that led to them. `latestVersion` is the widget's. Null: there are none, or it is not certain.
 */
export function findExpiredHooks(
  { items, page, totalItems }: LastPage,
  latestVersion: number,
): { readonly from: number; readonly to: number } | null {
  const versions = items.flatMap(({ effect }) => (effect === null ? [] : [effect.version]));
  if (versions.length === 0 && page > 1) return null;
  // A received hook may be one that is applied but not published yet.
  const received = items.filter(({ state }) => state === 'received').length;
  const to = versions.length > 0 ? Math.min(...versions) - 1 : latestVersion - received;
  // Then an older version is on an earlier page: a hook that was redriven keeps its place, but has a later version.
  if (page > 1 && totalItems > latestVersion - to) return null;
  return to >= 2 ? { from: 2, to } : null;
}
