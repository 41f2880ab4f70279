import { UnavailableError } from '../../domain/errors.ts';
import type { WidgetFilter, WidgetStore } from '../../ports/widget-store.ts';
import type { Clock } from '../../runtime/clock.ts';
import { fullCountDeadlineMs, requestDeadlineMs, withDeadline } from '../../runtime/deadline.ts';
import { createSemaphore } from '../../runtime/semaphore.ts';

/** Up to here totals are exact at every request. */
const exactTotalMax = 1_000;
const keptForMs = 5_000;
/** Filters whose `createdAtOrBefore` is younger than this share one total: their difference is within what is promised. */
const recentMs = 5_000;
const keptMax = 200;
/** More than any count comes to, and an integer to every store. */
const countMax = 2_147_483_647;
const maxWaiting = 100;

export interface WidgetTotal {
  readonly total: number;
  /** How long ago it was counted, 0 for one that is exact; null: not counted, there are at least so many. */
  readonly ageMs: number | null;
}

export interface CountWidgetsOptions {
  /** How many matching widgets the caller knows of. */
  readonly seen: number;
  /** How long the caller waits; the count goes on for who asks next. */
  readonly withinMs: number;
}

export interface CountWidgetsDeps {
  readonly widgets: Pick<WidgetStore, 'count'>;
  readonly clock: Pick<Clock, 'now' | 'monotonicMs'>;
}

interface KnownTotal {
  readonly countedAtMs: number;
  readonly total: number;
}

/**
 * Counts the widgets of a filter: exactly up to 1 000, above that at most 5 s ago, once per filter for all who ask
 * meanwhile, because such a count costs time in proportion to its result; and one filter at a time, because anyone can
 * think of as many filters as there are milliseconds.
 *
 * A count that fails, or is late, leaves the last total that is known of the filter, else of its state, else what was
 * seen. Throws `UnavailableError` only where there is none of these.
 */
export function makeCountWidgets({ widgets, clock }: CountWidgetsDeps) {
  const known = new Map<string, KnownTotal>();
  const counting = new Map<string, Promise<KnownTotal>>();
  const inTurn = createSemaphore({
    what: 'count widgets',
    maxRunning: 1,
    maxWaiting,
    maxWaitMs: requestDeadlineMs,
  });

  const countAll = async (key: string, filter: WidgetFilter): Promise<KnownTotal> => {
    try {
      return await inTurn(async () => {
        const countedAtMs = clock.monotonicMs();
        const counted = { countedAtMs, total: await widgets.count(filter, countMax, fullCountDeadlineMs) };
        known.delete(key);
        known.set(key, counted);
        dropOldest(known);
        return counted;
      });
    } finally {
      counting.delete(key);
    }
  };

  const keptOrCounted = (filter: WidgetFilter): KnownTotal | Promise<KnownTotal> => {
    const key = keyOf(filter, clock.now());
    const kept = known.get(key);
    if (kept !== undefined && clock.monotonicMs() - kept.countedAtMs < keptForMs) return kept;
    const begun = counting.get(key) ?? countAll(key, filter);
    counting.set(key, begun);
    return begun;
  };

  const lastKnown = (filter: WidgetFilter): KnownTotal | undefined =>
    known.get(keyOf(filter, clock.now())) ?? known.get(recentKeyOf(filter.state));

  return async (filter: WidgetFilter, { seen, withinMs }: CountWidgetsOptions): Promise<WidgetTotal> => {
    let atLeast = seen;
    const count = async (): Promise<WidgetTotal> => {
      const exact = await widgets.count(filter, exactTotalMax + 1);
      if (exact <= exactTotalMax) return { total: exact, ageMs: 0 };
      atLeast = Math.max(seen, exact);
      return aged(await keptOrCounted(filter));
    };
    const aged = ({ total, countedAtMs }: KnownTotal) => ({ total, ageMs: clock.monotonicMs() - countedAtMs });
    try {
      return await withDeadline(count(), withinMs, 'count widgets');
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
      const last = lastKnown(filter);
      if (last !== undefined) return aged(last);
      if (atLeast === 0) throw error;
      return { total: atLeast, ageMs: null };
    }
  };
}

function keyOf({ state, createdAtOrBefore }: WidgetFilter, now: Date): string {
  const isRecent = createdAtOrBefore === null || createdAtOrBefore.getTime() >= now.getTime() - recentMs;
  return isRecent ? recentKeyOf(state) : `${state ?? 'any'} ${createdAtOrBefore.getTime()}`;
}

function recentKeyOf(state: WidgetFilter['state']): string {
  return `${state ?? 'any'} recent`;
}

function dropOldest(known: Map<string, KnownTotal>): void {
  if (known.size <= keptMax) return;
  const [oldest] = known.keys();
  if (oldest !== undefined) known.delete(oldest);
}
