import type { WidgetFilter, WidgetStore } from '../../ports/widget-store.ts';
import type { Clock } from '../../runtime/clock.ts';

/** Up to here totals are exact at every request. */
const exactTotalMax = 1_000;
const keptForMs = 5_000;
/** Filters whose `createdAtOrBefore` is younger than this share one total: their difference is within what is promised. */
const recentMs = 5_000;
const keptMax = 200;
/** More than any count comes to, and an integer to every store. */
const countMax = 2_147_483_647;

interface KeptTotal {
  readonly countedAtMs: number;
  readonly total: Promise<number>;
}

export interface CountWidgetsDeps {
  readonly widgets: Pick<WidgetStore, 'count'>;
  readonly clock: Pick<Clock, 'now' | 'monotonicMs'>;
}

/**
 * Counts the widgets of a filter: exactly up to 1 000, above that at most 5 s ago, once per filter for all who ask
 * meanwhile, because such a count costs time in proportion to its result.
 */
export function createCountWidgets({ widgets, clock }: CountWidgetsDeps) {
  const kept = new Map<string, KeptTotal>();

  const countAll = (filter: WidgetFilter): Promise<number> => {
    const key = keyOf(filter, clock.now());
    const known = kept.get(key);
    if (known !== undefined && clock.monotonicMs() - known.countedAtMs < keptForMs) return known.total;
    const total = widgets.count(filter, countMax);
    kept.delete(key);
    kept.set(key, { countedAtMs: clock.monotonicMs(), total });
    total.catch(() => kept.delete(key));
    dropOldest(kept);
    return total;
  };

  return async (filter: WidgetFilter): Promise<number> => {
    const exact = await widgets.count(filter, exactTotalMax + 1);
    return exact <= exactTotalMax ? exact : countAll(filter);
  };
}

function keyOf({ state, createdAtOrBefore }: WidgetFilter, now: Date): string {
  const isRecent = createdAtOrBefore === null || createdAtOrBefore.getTime() >= now.getTime() - recentMs;
  return `${state ?? 'any'} ${isRecent ? 'recent' : createdAtOrBefore.getTime()}`;
}

function dropOldest(kept: Map<string, KeptTotal>): void {
  if (kept.size <= keptMax) return;
  const [oldest] = kept.keys();
  if (oldest !== undefined) kept.delete(oldest);
}
