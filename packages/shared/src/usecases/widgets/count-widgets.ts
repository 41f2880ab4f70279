import { UnavailableError } from '../../domain/errors.ts';
import type { WidgetFilter, WidgetStore } from '../../ports/widget-store.ts';
import type { Clock } from '../../runtime/clock.ts';
import { fullCountDeadlineMs, requestDeadlineMs, withDeadline } from '../../runtime/deadline.ts';
import { dropOldest } from '../../runtime/drop-oldest.ts';
import { createSemaphore } from '../../runtime/semaphore.ts';

/** Totals up to here are counted exactly for each request, unless the store is unavailable or too slow. */
const exactTotalMax = 1_000;
const totalMaxAgeMs = 5_000;
/**
 * Filters of one state share one total if their `createdAtOrBefore` is null or at most this old. So this total can be
 * wrong by the widgets that were created in these 5 s, in addition to those created since it was counted.
 */
const recentMs = 5_000;
const cachedTotalsMax = 200;
/** Larger than any real count, and still a 32-bit integer, which every store accepts. */
const countMax = 2_147_483_647;
/** How many full counts may wait for the running one. */
const maxWaiting = 100;

export interface WidgetTotal {
  readonly total: number;
  /** How long ago `total` was counted, in milliseconds. 0: `total` is exact. Null: `total` is only a lower bound. */
  readonly ageMs: number | null;
}

export interface CountWidgetsOptions {
  /** How many matching widgets the caller has seen: a lower bound of the total. */
  readonly seen: number;
  /** How long the caller waits, in milliseconds. A count that takes longer continues, for the next caller. */
  readonly withinMs: number;
}

export interface CountWidgetsDeps {
  readonly widgets: Pick<WidgetStore, 'count'>;
  readonly clock: Pick<Clock, 'now' | 'monotonicMs'>;
}

interface CountedTotal {
  readonly countedAtMs: number;
  readonly total: number;
}

/**
 * Makes the function that counts the widgets of a filter. A total up to 1 000 is exact. A larger one is reused for 5 s
 * after its count began, because a full count takes time in proportion to its result. Callers with the same filter
 * share one full count. Full counts run one at a time: each value of `createdAtOrBefore` is another filter, so a client
 * could start any number of them.
 *
 * If the store is unavailable, or the count takes longer than `withinMs`, the function returns the last total of the
 * filter. If there is none, it returns the last total of the filter's state, which ignores `createdAtOrBefore`. If
 * there is none either, it returns a lower bound: `seen`, or 1 001 if that is more and it has counted that far. If that
 * is 0, it throws `UnavailableError`.
 *
 * Every other list is counted by `list-counted-page.ts`, up to 10 000 and without a cache.
 */
export function makeCountWidgets({ widgets, clock }: CountWidgetsDeps) {
  const totals = new Map<string, CountedTotal>();
  const runningCounts = new Map<string, Promise<CountedTotal>>();
  const runOneAtATime = createSemaphore({
    what: 'count widgets',
    maxRunning: 1,
    maxWaiting,
    maxWaitMs: requestDeadlineMs,
  });

  const countAll = async (key: string, filter: WidgetFilter): Promise<CountedTotal> => {
    try {
      return await runOneAtATime(async () => {
        const countedAtMs = clock.monotonicMs();
        const counted = { countedAtMs, total: await widgets.count(filter, countMax, fullCountDeadlineMs) };
        totals.delete(key);
        totals.set(key, counted);
        dropOldest(totals, cachedTotalsMax);
        return counted;
      });
    } finally {
      runningCounts.delete(key);
    }
  };

  const readOrCount = (filter: WidgetFilter): CountedTotal | Promise<CountedTotal> => {
    const key = toCacheKey(filter, clock.now());
    const cached = totals.get(key);
    if (cached !== undefined && clock.monotonicMs() - cached.countedAtMs < totalMaxAgeMs) return cached;
    const count = runningCounts.get(key) ?? countAll(key, filter);
    runningCounts.set(key, count);
    return count;
  };

  const findLastTotal = (filter: WidgetFilter): CountedTotal | undefined =>
    totals.get(toCacheKey(filter, clock.now())) ?? totals.get(toRecentKey(filter.state));

  const withAge = ({ total, countedAtMs }: CountedTotal) => ({ total, ageMs: clock.monotonicMs() - countedAtMs });

  return async (filter: WidgetFilter, { seen, withinMs }: CountWidgetsOptions): Promise<WidgetTotal> => {
    let atLeast = seen;
    const count = async (): Promise<WidgetTotal> => {
      const counted = await widgets.count(filter, exactTotalMax + 1);
      if (counted <= exactTotalMax) return { total: counted, ageMs: 0 };
      atLeast = Math.max(seen, counted);
      return withAge(await readOrCount(filter));
    };
    try {
      return await withDeadline(count(), withinMs, 'count widgets');
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
      const last = findLastTotal(filter);
      if (last !== undefined) return withAge(last);
      if (atLeast === 0) throw error;
      return { total: atLeast, ageMs: null };
    }
  };
}

function toCacheKey({ state, createdAtOrBefore }: WidgetFilter, now: Date): string {
  const isRecent = createdAtOrBefore === null || createdAtOrBefore.getTime() >= now.getTime() - recentMs;
  return isRecent ? toRecentKey(state) : `${state ?? 'any'} ${createdAtOrBefore.getTime()}`;
}

function toRecentKey(state: WidgetFilter['state']): string {
  return `${state ?? 'any'} recent`;
}
