import type { LogPosition } from '../../domain/log-position.ts';
import { countPages, type PageRequest, toOffset } from '../../domain/page.ts';
import type { Widget, WidgetState } from '../../domain/widget.ts';
import type { WidgetStore } from '../../ports/widget-store.ts';
import type { Clock } from '../../runtime/clock.ts';
import { makeCountWidgets, type WidgetTotal } from './count-widgets.ts';

export interface ListWidgetsDeps {
  readonly widgets: Pick<WidgetStore, 'list' | 'count'>;
  readonly clock: Pick<Clock, 'now' | 'monotonicMs'>;
  /** How far this pod has read the event log; null before it has reached it. */
  readonly tailPosition: () => LogPosition | null;
}

export interface ListWidgetsInput extends PageRequest {
  readonly state: WidgetState | null;
  /** The `asOf` of the first page; null on the first page. */
  readonly asOf: Date | null;
}

export interface WidgetPage extends PageRequest {
  readonly items: readonly Widget[];
  /** Exact up to 1 000, else at most 5 s old; where counting fails or takes longer, the last known or what was seen. */
  readonly totalItems: number;
  readonly totalPages: number;
  /** Always exact. */
  readonly hasNext: boolean;
  /** Only widgets created by then are listed and counted, so that the pages of one walk fit together. */
  readonly asOf: Date;
  /** A stream that resumes from here misses nothing that happened after this page was read. */
  readonly streamCursor: LogPosition | null;
}

/** A create that is being stored may get its time before, and become visible after, a list that is read meanwhile. */
const settledAfterMs = 2_000;

/** So many rows are skipped in no time; behind them it is worth to know whether there are any. */
const deepOffset = 10_000;
/** More than widgets are created, or change their state, anywhere: so a total that grew meanwhile hides no row. */
const maxGrowthPerMs = 100;
/** How long after its beginning a page waits for its total: what is left is for its rows, where they come last. */
const totalWithinMs = { afterRows: 1_200, beforeRows: 800 } as const;

/** One page of widgets, newest first. A total that is late does not hold it up: see `createCountWidgets`. */
export function makeListWidgets({ widgets, clock, tailPosition }: ListWidgetsDeps) {
  const countWidgets = makeCountWidgets({ widgets, clock });

  const firstAsOf = (newest: Widget | undefined): Date =>
    new Date(Math.max(newest?.createdAt.getTime() ?? 0, clock.now().getTime() - settledAfterMs));

  const readNewestTime = async (state: WidgetState | null): Promise<Date> =>
    firstAsOf((await widgets.list({ state, createdAtOrBefore: null }, { offset: 0, limit: 1 }))[0]);

  /** The rows of a page and one more, if there is one, and its total, as far as it is known by then. */
  const read = async (input: ListWidgetsInput): Promise<Found> => {
    const range = { offset: toOffset(input), limit: input.pageSize + 1 };
    const { state, page } = input;
    if (input.asOf === null && page === 1) {
      const rows = await widgets.list({ state, createdAtOrBefore: null }, range);
      return { rows, asOf: firstAsOf(rows[0]), total: null };
    }
    const asOf = input.asOf ?? (await readNewestTime(state));
    const filter = { state, createdAtOrBefore: asOf };
    if (range.offset <= deepOffset) return { rows: await widgets.list(filter, range), asOf, total: null };
    const total = await countWidgets(filter, { seen: 0, withinMs: totalWithinMs.beforeRows });
    return { rows: isPastEnd(range.offset, total) ? [] : await widgets.list(filter, range), asOf, total };
  };

  return async (input: ListWidgetsInput): Promise<WidgetPage> => {
    // Taken first: an older position only replays more, a newer one would skip.
    const streamCursor = tailPosition();
    const beganAtMs = clock.monotonicMs();
    const { page, pageSize, state } = input;
    const { rows, asOf, total } = await read(input);
    const hasNext = rows.length > pageSize;
    const items = hasNext ? rows.slice(0, pageSize) : rows;
    const end = toOffset(input) + rows.length;
    const seen = rows.length > 0 ? end : 0;
    const isEndSeen = !hasNext && (items.length > 0 || page === 1);
    const countTotal = () => {
      const withinMs = Math.max(0, beganAtMs + totalWithinMs.afterRows - clock.monotonicMs());
      return countWidgets({ state, createdAtOrBefore: asOf }, { seen, withinMs });
    };
    const counted = isEndSeen ? seen : (total ?? (await countTotal())).total;
    // A total that was counted earlier must not contradict the rows of this page.
    const totalItems = hasNext ? Math.max(counted, end) : Math.min(counted, end);
    return {
      items,
      page,
      pageSize,
      totalItems,
      totalPages: countPages(totalItems, pageSize),
      hasNext,
      asOf,
      streamCursor,
    };
  };
}

interface Found {
  readonly rows: Widget[];
  /** The time they are bound to. */
  readonly asOf: Date;
  readonly total: WidgetTotal | null;
}

/** False also where the total is not known well enough. */
function isPastEnd(offset: number, { total, ageMs }: WidgetTotal): boolean {
  return ageMs !== null && offset >= total + ageMs * maxGrowthPerMs;
}
