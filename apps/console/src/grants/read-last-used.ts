import type { Grant } from './grant-kind.ts';

/** When a grant was last used, or null. Each kind has a name of its own for it. */
export function readLastUsed(grant: Grant): string | null {
  if ('lastConnectedAt' in grant) return grant.lastConnectedAt;
  return 'lastReceivedAt' in grant ? grant.lastReceivedAt : grant.lastUsedAt;
}
