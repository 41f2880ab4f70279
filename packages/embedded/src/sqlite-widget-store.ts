import type { StatementSync } from 'node:sqlite';
import { setImmediate as waitForNextTurn } from 'node:timers/promises';
import { createRowReader, type OnWarning } from '@widget-service/shared/adapters/row-reader.ts';
import { widgetShape } from '@widget-service/shared/adapters/row-shapes.ts';
import type { WidgetFilter, WidgetStore } from '@widget-service/shared/ports/widget-store.ts';
import { requestDeadlineMs } from '@widget-service/shared/runtime/clock.ts';
import { createSemaphore } from '@widget-service/shared/runtime/semaphore.ts';
import type { Database } from './database.ts';
import { type Row, toPlaceholders, widgetColumns } from './sqlite-widget-columns.ts';
import { insertOutboxEntry, prepareOutboxInsert } from './sqlite-widget-effects.ts';

const columnList = widgetColumns.columns.join(', ');
const newestFirst = 'ORDER BY created_at DESC, id DESC';

/** Per kind of filter: the widgets after a place in the list, newest first. `Bounds` are the values of the `?`. */
const conditions = {
  any: '(created_at, id) < (?, ?)',
  inState: 'state = ? AND (created_at, id) < (?, ?)',
} as const;

type Bounds = readonly (string | number)[];

type StatementPerFilter = Readonly<Record<keyof typeof conditions, StatementSync>>;

export function createSqliteWidgetStore(db: Database, onWarning?: OnWarning): WidgetStore {
  const widgets = createRowReader({
    of: 'widgets',
    identify: ({ id }: Row) => id,
    convert: widgetColumns.read,
    shape: widgetShape,
    onWarning,
  });
  const insertWidget = db.prepare(
    `INSERT INTO widgets (${columnList}) VALUES (${toPlaceholders(widgetColumns.columns)})`,
  );
  const insertKey = db.prepare(
    'INSERT INTO idempotency_keys (scope, key, fingerprint, body, widget_id) VALUES (?, ?, ?, ?, ?)',
  );
  const selectKey = db.prepare('SELECT fingerprint, body, widget_id FROM idempotency_keys WHERE scope = ? AND key = ?');
  const insertEntry = prepareOutboxInsert(db);
  const select = db.prepare(`SELECT ${columnList} FROM widgets WHERE id = ?`);
  const skipRows = makeSkipRows(db);
  const list = preparePerFilter(db, toPageSql);
  const countFrom = preparePerFilter(
    db,
    (condition) => `SELECT count(*) AS n FROM (SELECT 1 FROM widgets WHERE ${condition} LIMIT ?)`,
  );

  return {
    insertOnce: ({ widget, created, idempotency }) =>
      db.write(() => {
        if (idempotency !== null) {
          const stored = selectKey.get(idempotency.scope, idempotency.key);
          if (stored !== undefined) {
            if (stored.fingerprint !== idempotency.fingerprint) return { status: 'conflict' };
            return { status: 'replayed', widgetId: String(stored.widget_id), body: String(stored.body) };
          }
        }
        insertWidget.run(...widgetColumns.toValues(widget));
        if (idempotency !== null) {
          const { scope, key, fingerprint, body } = idempotency;
          insertKey.run(scope, key, fingerprint, body, widget.id);
        }
        insertOutboxEntry(insertEntry, widget.id, created);
        return { status: 'created' };
      }),
    get: (id) => db.read(() => widgets.readIfAny(select.get(id))),
    list: async (filter, { offset, limit }) => {
      const { bounds, skipped } = await skipRows(filter, offset);
      return db.read(() => {
        const rows = list[toFilterKind(filter)].all(...bounds, limit, offset - skipped);
        return widgets.readList(rows);
      });
    },
    count: async (filter, atMost) => {
      const { bounds, skipped } = await skipRows(filter, atMost);
      const statement = countFrom[toFilterKind(filter)];
      return db.read(() => skipped + Number(statement.get(...bounds, atMost - skipped)?.n));
    },
  };
}

/**
 * SQLite skips the OFFSET rows in the index alone, and reads only the rows of the page from the table. CROSS JOIN makes
 * it read in this order.
 */
function toPageSql(condition: string): string {
  const ids = `SELECT id FROM widgets WHERE ${condition} ${newestFirst} LIMIT ? OFFSET ?`;
  return `SELECT ${columnList} FROM (${ids}) CROSS JOIN widgets USING (id) ${newestFirst}`;
}

/** SQLite skips this many rows in about a millisecond. */
const skippedRowsPerTurn = 10_000;
const maxWaitingSkips = 100;

/** `skipped` rows match the filter and come before the rows that match `bounds`. */
interface SkipResult {
  readonly bounds: Bounds;
  readonly skipped: number;
}

/** `rows` is how many rows to skip. It may exceed the number of matching rows. */
type SkipRows = (filter: WidgetFilter, rows: number) => Promise<SkipResult>;

/**
 * Makes the function that skips rows, newest first, in the index alone. It stops when at most `skippedRowsPerTurn` of
 * the requested or existing rows are left. SQLite calls are synchronous, and skipping a million rows in one call would
 * block the process. So each call is in an event-loop turn of its own.
 *
 * Only one long skip runs at a time, because many at once would block the process just the same. A long skip rejects
 * with `UnavailableError` if it does not start within `requestDeadlineMs`, or if `maxWaitingSkips` already wait.
 * Changes during a skip may or may not be seen, as between two pages.
 */
function makeSkipRows(db: Database): SkipRows {
  const runExclusively = createSemaphore({
    what: 'SQLite: skipping widgets for a page or a count',
    maxRunning: 1,
    maxWaiting: maxWaitingSkips,
    maxWaitMs: requestDeadlineMs,
  });
  const selectLastSkipped = preparePerFilter(
    db,
    (condition) =>
      `SELECT created_at, id FROM widgets WHERE ${condition} ${newestFirst} LIMIT 1 OFFSET ${skippedRowsPerTurn - 1}`,
  );

  const skip = async (filter: WidgetFilter, rows: number): Promise<SkipResult> => {
    const statement = selectLastSkipped[toFilterKind(filter)];
    let bounds = toFirstBounds(filter);
    let skipped = 0;
    while (rows - skipped > skippedRowsPerTurn) {
      const last = await db.read(() => statement.get(...bounds));
      if (last === undefined) break;
      bounds = toBounds(filter, Number(last.created_at), String(last.id));
      skipped += skippedRowsPerTurn;
      await waitForNextTurn();
    }
    return { bounds, skipped };
  };

  return (filter, rows) => (rows > skippedRowsPerTurn ? runExclusively(() => skip(filter, rows)) : skip(filter, rows));
}

function preparePerFilter(db: Database, toSql: (condition: string) => string): StatementPerFilter {
  return { any: db.prepare(toSql(conditions.any)), inState: db.prepare(toSql(conditions.inState)) };
}

function toFilterKind({ state }: WidgetFilter): keyof typeof conditions {
  return state === null ? 'any' : 'inState';
}

/**
 * Returns the bounds that match every widget of the filter. With `createdAtOrBefore` t they are t + 1 ms and the empty
 * id: it sorts before every id, so no widget created at t + 1 ms matches.
 */
function toFirstBounds(filter: WidgetFilter): Bounds {
  const { createdAtOrBefore } = filter;
  return toBounds(filter, createdAtOrBefore === null ? Number.MAX_SAFE_INTEGER : createdAtOrBefore.getTime() + 1, '');
}

function toBounds({ state }: WidgetFilter, createdAt: number, id: string): Bounds {
  return state === null ? [createdAt, id] : [state, createdAt, id];
}
