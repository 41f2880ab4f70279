import type { Grant } from './grant-kind.ts';
import { readLastUsed } from './read-last-used.ts';

export const grantOrders = ['newest', 'name', 'lastUsed', 'expires'] as const;
export type GrantOrder = (typeof grantOrders)[number];

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

/** Sorts grants, which the service lists newest first. Those that were never used or never expire come last. */
export function sortGrants(grants: readonly Grant[], order: GrantOrder): readonly Grant[] {
  if (order === 'newest') return grants;
  if (order === 'name') return grants.toSorted((one, other) => collator.compare(one.name, other.name));
  // Times of the service sort by their text.
  if (order === 'expires') return sortByText(grants, ({ expiresAt }) => expiresAt, 1);
  return sortByText(grants, readLastUsed, -1);
}

function sortByText(
  grants: readonly Grant[],
  read: (grant: Grant) => string | null,
  direction: 1 | -1,
): readonly Grant[] {
  return grants.toSorted((one, other) => {
    const [first, second] = [read(one), read(other)];
    if (first === second) return 0;
    if (first === null || second === null) return first === null ? 1 : -1;
    return first < second ? -direction : direction;
  });
}
