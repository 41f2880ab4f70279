import { type RateLimit, takePermits } from '@widget-service/shared/domain/gcra.ts';

/** How many keys are remembered. Above it, the one that was used longest ago has its whole burst again. */
const keysMax = 10_000;

/** Makes the function that takes a permit of a limit of this pod, for a key. Returns false if none is left. */
export function makeTakeLocally(limit: RateLimit): (key: string, nowMs: number) => boolean {
  const fullAtMs = new Map<string, number>();
  return (key, nowMs) => {
    const taken = takePermits(fullAtMs.get(key) ?? 0, nowMs, limit, { atLeast: 1, atMost: 1 });
    fullAtMs.delete(key);
    fullAtMs.set(key, taken.fullAtMs);
    const [oldest = key] = fullAtMs.keys();
    if (fullAtMs.size > keysMax) fullAtMs.delete(oldest);
    return taken.outcome.granted > 0;
  };
}
