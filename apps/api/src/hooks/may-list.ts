import { type RateLimit, takePermits } from '@widget-service/shared/domain/gcra.ts';

/** How many networks are remembered. Above it, a new one may list nothing until others are forgotten. */
const networksMax = 10_000;

/**
 * Makes the function that says whether one more refusal from a client network may be listed for an integration. The
 * lists are short, and whoever knows a hook URL can cause refusals: one network must not push out those of the others.
 */
export function makeMayList(limit: RateLimit) {
  const fullAtMs = new Map<string, number>();
  return (integrationId: string, network: string, now: Date): boolean => {
    const key = `${integrationId} ${network}`;
    const nowMs = now.getTime();
    if (fullAtMs.size >= networksMax) for (const [each, atMs] of fullAtMs) if (atMs <= nowMs) fullAtMs.delete(each);
    const previous = fullAtMs.get(key);
    if (previous === undefined && fullAtMs.size >= networksMax) return false;
    const taken = takePermits(previous ?? 0, nowMs, limit, { atLeast: 1, atMost: 1 });
    fullAtMs.set(key, taken.fullAtMs);
    return taken.outcome.granted > 0;
  };
}
