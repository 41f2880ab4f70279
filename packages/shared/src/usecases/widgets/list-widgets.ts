import type { LogPosition } from '../../domain/cursor.ts';
import { offsetOf, type PageRequest, totalPagesOf } from '../../domain/page.ts';
import type { Widget, WidgetState } from '../../domain/widget.ts';
import type { WidgetFilter, WidgetStore } from '../../ports/widget-store.ts';
import type { Clock } from '../../runtime/clock.ts';
import { createCountWidgets } from './count-widgets.ts';

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

/** One page of widgets, newest first. */
export function createListWidgets({ widgets, clock, tailPosition }: ListWidgetsDeps) {
  const countWidgets = createCountWidgets({ widgets, clock });

  const firstAsOf = (newest: Widget | undefined): Date =>
    new Date(Math.max(newest?.createdAt.getTime() ?? 0, clock.now().getTime() - settledAfterMs));

  /** The page's rows and one more, if there is one, with the time they are bound to. */
  const read = async (input: ListWidgetsInput): Promise<{ rows: Widget[]; asOf: Date }> => {
    const range = { offset: offsetOf(input), limit: input.pageSize + 1 };
    const { state } = input;
    if (input.asOf === null && input.page === 1) {
      const rows = await widgets.list({ state, createdAtOrBefore: null }, range);
      return { rows, asOf: firstAsOf(rows[0]) };
    }
    const asOf = input.asOf ?? firstAsOf((await widgets.list(newestOf(state), { offset: 0, limit: 1 }))[0]);
    return { rows: await widgets.list({ state, createdAtOrBefore: asOf }, range), asOf };
  };

  return async (input: ListWidgetsInput): Promise<WidgetPage> => {
    // Taken first: an older position only replays more, a newer one would skip.
    const streamCursor = tailPosition();
    const { page, pageSize, state } = input;
    const { rows, asOf } = await read(input);
    const hasNext = rows.length > pageSize;
    const items = hasNext ? rows.slice(0, pageSize) : rows;
    const seen = offsetOf(input) + rows.length;
    const isEndSeen = !hasNext && (items.length > 0 || page === 1);
    const totalItems = isEndSeen ? seen : await countWidgets({ state, createdAtOrBefore: asOf });
    // A total that was counted earlier must not contradict the rows of this page.
    const total = hasNext ? Math.max(totalItems, seen) : totalItems;
    return {
      items,
      page,
      pageSize,
      totalItems: total,
      totalPages: totalPagesOf(total, pageSize),
      hasNext,
      asOf,
      streamCursor,
    };
  };
}

function newestOf(state: WidgetState | null): WidgetFilter {
  return { state, createdAtOrBefore: null };
}
