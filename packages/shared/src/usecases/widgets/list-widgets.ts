import { UnavailableError } from '../../domain/errors.ts';
import type { LogPosition } from '../../domain/log-position.ts';
import { countPages, type ListedRow, type PageRequest, toOffset } from '../../domain/page.ts';
import type { Widget, WidgetState } from '../../domain/widget.ts';
import type { WidgetFilter, WidgetStore } from '../../ports/widget-store.ts';
import { type Clock, fullCountDeadlineMs, requestDeadlineMs, withDeadline } from '../../runtime/clock.ts';
import { dropOldest } from '../../runtime/drop-oldest.ts';
import { createSemaphore } from '../../runtime/semaphore.ts';

export interface ListWidgetsInput extends PageRequest {
  readonly state: WidgetState | null;
  /** The `asOf` of the first page of this listing; null if the client has none yet. */
  readonly asOf: Date | null;
}

export interface WidgetPage extends PageRequest {
  readonly items: readonly ListedRow<Widget>[];
  /** Exact up to 1 000, otherwise at most 5 s old. If the count fails or is slow: see `WidgetCounts`. */
  readonly totalItems: number;
  readonly totalPages: number;
  /** Always exact. */
  readonly hasNext: boolean;
  /** The pages list and count only widgets created at or before this time, so that the pages of one listing agree. */
  readonly asOf: Date;
  /** A stream that resumes from here misses no event that happened after this page was read; see `ListWidgets`. */
  readonly streamCursor: LogPosition | null;
}

/**
 * How long after its `createdAt` a widget may become readable: a create reads the clock before its insert. So the first
 * `asOf` is this far in the past, or at the newest widget of the list if that is later. A widget that becomes readable
 * between two pages then does not shift their rows, unless the list already has a newer one.
 */
const creationDelayMaxMs = 2_000;

/**
 * Stores skip this many rows quickly. For a deeper page, the total is read first, because there may be no such rows.
 */
const deepOffset = 10_000;
/** Pages beyond `deepOffset` are read one at a time. This many may wait. */
const maxWaitingDeepPages = 100;
/**
 * The most widgets that can be created or change state per millisecond. `isPastEnd` adds this growth to an old total,
 * so that it does not take a page with new rows for an empty one.
 */
const maxGrowthPerMs = 100;
/**
 * How long a page waits for its total, in milliseconds. `afterRows` counts from the start of the request. `beforeRows`
 * counts from the start of the count, and is shorter to leave time for the rows.
 */
const totalDeadlineMs = { afterRows: 1_200, beforeRows: 800 } as const;

/**
 * Lists widgets, newest first. A slow count delays a page by `totalDeadlineMs` at most: see `WidgetCounts`.
 * `tailPosition` returns this pod's position in the event log; null before its first read.
 */
export class ListWidgets {
  readonly #widgets: Pick<WidgetStore, 'list' | 'count'>;
  readonly #clock: Pick<Clock, 'now' | 'monotonicMs'>;
  readonly #tailPosition: () => LogPosition | null;
  readonly #counts: WidgetCounts;
  /** Reads deep pages one at a time, because skipping many rows is expensive. */
  readonly #readDeepRows = createSemaphore({
    what: 'read a page far behind the newest widgets',
    maxRunning: 1,
    maxWaiting: maxWaitingDeepPages,
    maxWaitMs: requestDeadlineMs,
  });

  constructor(
    widgets: Pick<WidgetStore, 'list' | 'count'>,
    clock: Pick<Clock, 'now' | 'monotonicMs'>,
    tailPosition: () => LogPosition | null,
  ) {
    this.#widgets = widgets;
    this.#clock = clock;
    this.#tailPosition = tailPosition;
    this.#counts = new WidgetCounts(widgets, clock);
  }

  /** Reads one page. Throws `UnavailableError`. */
  async read(input: ListWidgetsInput): Promise<WidgetPage> {
    // The position is read before the rows: an older position only replays more events, a newer one would skip some.
    const streamCursor = this.#tailPosition();
    const startedAtMs = this.#clock.monotonicMs();
    const { page, pageSize, state } = input;
    const { rows, asOf, total } = await this.#readRows(input);
    const hasNext = rows.length > pageSize;
    const items = hasNext ? rows.slice(0, pageSize) : rows;
    const rowsEnd = toOffset(input) + rows.length;
    const seen = rows.length > 0 ? rowsEnd : 0;
    const isLastPage = !hasNext && (items.length > 0 || page === 1);
    const countTotal = () => {
      const withinMs = Math.max(0, startedAtMs + totalDeadlineMs.afterRows - this.#clock.monotonicMs());
      return this.#counts.count({ state, createdAtOrBefore: asOf }, seen, withinMs);
    };
    const counted = isLastPage ? seen : (total ?? (await countTotal())).total;
    // The total may be older than the rows. It must not contradict them.
    const totalItems = hasNext ? Math.max(counted, rowsEnd) : Math.min(counted, rowsEnd);
    const totalPages = countPages(totalItems, pageSize);
    return { items, page, pageSize, totalItems, totalPages, hasNext, asOf, streamCursor };
  }

  /** Reads the rows of a page and one more. For a page beyond `deepOffset`, it reads the total first. */
  async #readRows(input: ListWidgetsInput): Promise<RowsRead> {
    const range = { offset: toOffset(input), limit: input.pageSize + 1 };
    const { state, page } = input;
    if (input.asOf === null && page === 1) {
      const rows = await this.#widgets.list({ state, createdAtOrBefore: null }, range);
      return { rows, asOf: this.#toFirstAsOf(rows), total: null };
    }
    const asOf = input.asOf ?? (await this.#readFirstAsOf(state));
    const filter = { state, createdAtOrBefore: asOf };
    if (range.offset <= deepOffset) return { rows: await this.#widgets.list(filter, range), asOf, total: null };
    const total = await this.#counts.count(filter, 0, totalDeadlineMs.beforeRows);
    if (isPastEnd(range.offset, total)) return { rows: [], asOf, total };
    return { rows: await this.#readDeepRows(() => this.#widgets.list(filter, range)), asOf, total };
  }

  async #readFirstAsOf(state: WidgetState | null): Promise<Date> {
    return this.#toFirstAsOf(await this.#widgets.list({ state, createdAtOrBefore: null }, { offset: 0, limit: 1 }));
  }

  #toFirstAsOf([newest]: readonly ListedRow<Widget>[]): Date {
    return new Date(Math.max(newest?.createdAt.getTime() ?? 0, this.#clock.now().getTime() - creationDelayMaxMs));
  }
}

interface RowsRead {
  readonly rows: readonly ListedRow<Widget>[];
  /** The rows were created at or before this time. */
  readonly asOf: Date;
  /** Null if the total is not read yet. */
  readonly total: WidgetTotal | null;
}

/** Returns whether no row can be at `offset`. False also if the total is only a lower bound (`ageMs` is null). */
function isPastEnd(offset: number, { total, ageMs }: WidgetTotal): boolean {
  return ageMs !== null && offset >= total + ageMs * maxGrowthPerMs;
}

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

interface WidgetTotal {
  readonly total: number;
  /** How long ago `total` was counted, in milliseconds. 0: `total` is exact. Null: `total` is only a lower bound. */
  readonly ageMs: number | null;
}

interface CountedTotal {
  readonly countedAtMs: number;
  readonly total: number;
}

/**
 * Counts the widgets of a filter. A total up to 1 000 is exact. A larger one is reused for 5 s after its count began,
 * because a full count takes time in proportion to its result. Callers with the same filter share one full count. Full
 * counts run one at a time: each value of `createdAtOrBefore` is another filter, so a client could start any number of
 * them.
 *
 * Every other list is counted by `list-counted-page.ts`, up to 10 000 and without a cache.
 */
export class WidgetCounts {
  readonly #widgets: Pick<WidgetStore, 'count'>;
  readonly #clock: Pick<Clock, 'now' | 'monotonicMs'>;
  readonly #totals = new Map<string, CountedTotal>();
  readonly #runningCounts = new Map<string, Promise<CountedTotal>>();
  readonly #runOneAtATime = createSemaphore({
    what: 'count widgets',
    maxRunning: 1,
    maxWaiting,
    maxWaitMs: requestDeadlineMs,
  });

  constructor(widgets: Pick<WidgetStore, 'count'>, clock: Pick<Clock, 'now' | 'monotonicMs'>) {
    this.#widgets = widgets;
    this.#clock = clock;
  }

  /**
   * `seen` is how many matching widgets the caller has seen: a lower bound of the total. A count that takes longer than
   * `withinMs` continues, for the next caller.
   *
   * Then, and if the store is unavailable, this returns the last total of the filter. If there is none, it returns the
   * last total of the filter's state, which ignores `createdAtOrBefore`. If there is none either, it returns a lower
   * bound: `seen`, or 1 001 if that is more and it has counted that far. If that is 0, it throws `UnavailableError`.
   */
  async count(filter: WidgetFilter, seen: number, withinMs: number): Promise<WidgetTotal> {
    let atLeast = seen;
    const count = async (): Promise<WidgetTotal> => {
      const counted = await this.#widgets.count(filter, exactTotalMax + 1);
      if (counted <= exactTotalMax) return { total: counted, ageMs: 0 };
      atLeast = Math.max(seen, counted);
      return this.#withAge(await this.#readOrCount(filter));
    };
    try {
      return await withDeadline(count(), withinMs, 'count widgets');
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
      const key = toCacheKey(filter, this.#clock.now());
      const last = this.#totals.get(key) ?? this.#totals.get(toRecentKey(filter.state));
      if (last !== undefined) return this.#withAge(last);
      if (atLeast === 0) throw error;
      return { total: atLeast, ageMs: null };
    }
  }

  #readOrCount(filter: WidgetFilter): CountedTotal | Promise<CountedTotal> {
    const key = toCacheKey(filter, this.#clock.now());
    const cached = this.#totals.get(key);
    if (cached !== undefined && this.#clock.monotonicMs() - cached.countedAtMs < totalMaxAgeMs) return cached;
    const count = this.#runningCounts.get(key) ?? this.#countAll(key, filter);
    this.#runningCounts.set(key, count);
    return count;
  }

  async #countAll(key: string, filter: WidgetFilter): Promise<CountedTotal> {
    try {
      return await this.#runOneAtATime(async () => {
        const countedAtMs = this.#clock.monotonicMs();
        const counted = { countedAtMs, total: await this.#widgets.count(filter, countMax, fullCountDeadlineMs) };
        this.#totals.delete(key);
        this.#totals.set(key, counted);
        dropOldest(this.#totals, cachedTotalsMax);
        return counted;
      });
    } finally {
      this.#runningCounts.delete(key);
    }
  }

  #withAge({ total, countedAtMs }: CountedTotal): WidgetTotal {
    return { total, ageMs: this.#clock.monotonicMs() - countedAtMs };
  }
}

function toCacheKey({ state, createdAtOrBefore }: WidgetFilter, now: Date): string {
  const isRecent = createdAtOrBefore === null || createdAtOrBefore.getTime() >= now.getTime() - recentMs;
  return isRecent ? toRecentKey(state) : `${state ?? 'any'} ${createdAtOrBefore.getTime()}`;
}

function toRecentKey(state: WidgetFilter['state']): string {
  return `${state ?? 'any'} recent`;
}
