import type { StatementSync } from 'node:sqlite';
import { setImmediate as waitForNextTurn } from 'node:timers/promises';
import { type OnWarning, type RowKind, RowReader } from '@widget-service/shared/adapters/row-reader.ts';
import { widgetShape } from '@widget-service/shared/adapters/row-shapes.ts';
import type { ListedRow, RowRange } from '@widget-service/shared/domain/page.ts';
import type { Widget } from '@widget-service/shared/domain/widget.ts';
import type {
  InsertOutcome,
  WidgetCreation,
  WidgetFilter,
  WidgetStore,
} from '@widget-service/shared/ports/widget-store.ts';
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

/** SQLite skips this many rows in about a millisecond. */
const skippedRowsPerTurn = 10_000;
const maxWaitingSkips = 100;

/** `skipped` rows match the filter and come before the rows that match `bounds`. */
interface SkipResult {
  readonly bounds: Bounds;
  readonly skipped: number;
}

const widgetRows: RowKind<Row, Widget> = {
  of: 'widgets',
  identify: ({ id }) => id,
  convert: widgetColumns.read,
  shape: widgetShape,
};

export class SqliteWidgetStore implements WidgetStore {
  readonly #db: Database;
  readonly #rows: RowReader<Row, Widget>;
  readonly #statements: ReturnType<typeof prepareStatements>;
  readonly #runExclusively = createSemaphore({
    what: 'SQLite: skipping widgets for a page or a count',
    maxRunning: 1,
    maxWaiting: maxWaitingSkips,
    maxWaitMs: requestDeadlineMs,
  });

  constructor(db: Database, onWarning?: OnWarning) {
    this.#db = db;
    this.#rows = new RowReader(widgetRows, onWarning);
    this.#statements = prepareStatements(db);
  }

  insertOnce({ widget, created, idempotency }: WidgetCreation): Promise<InsertOutcome> {
    const { selectKey, insertKey, insertWidget, insertEntry } = this.#statements;
    return this.#db.write(() => {
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
    });
  }

  get(id: string): Promise<Widget | null> {
    return this.#db.read(() => this.#rows.readIfAny(this.#statements.select.get(id)));
  }

  async list(filter: WidgetFilter, { offset, limit }: RowRange): Promise<ListedRow<Widget>[]> {
    const { bounds, skipped } = await this.#skipRows(filter, offset);
    const statement = this.#statements.list[toFilterKind(filter)];
    return this.#db.read(() => this.#rows.readList(statement.all(...bounds, limit, offset - skipped)));
  }

  async count(filter: WidgetFilter, atMost: number): Promise<number> {
    const { bounds, skipped } = await this.#skipRows(filter, atMost);
    const statement = this.#statements.countFrom[toFilterKind(filter)];
    return this.#db.read(() => skipped + Number(statement.get(...bounds, atMost - skipped)?.n));
  }

  /**
   * Skips rows, newest first, in the index alone. It stops when at most `skippedRowsPerTurn` of the requested or
   * existing rows are left. SQLite calls are synchronous, and skipping a million rows in one call would block the
   * process. So each call is in an event-loop turn of its own. `rows` may exceed the number of matching rows.
   *
   * Only one long skip runs at a time, because many at once would block the process just the same. A long skip rejects
   * with `UnavailableError` if it does not start within `requestDeadlineMs`, or if `maxWaitingSkips` already wait.
   * Changes during a skip may or may not be seen, as between two pages.
   */
  #skipRows(filter: WidgetFilter, rows: number): Promise<SkipResult> {
    const skip = () => this.#skipInTurns(filter, rows);
    return rows > skippedRowsPerTurn ? this.#runExclusively(skip) : skip();
  }

  async #skipInTurns(filter: WidgetFilter, rows: number): Promise<SkipResult> {
    const statement = this.#statements.selectLastSkipped[toFilterKind(filter)];
    let bounds = toFirstBounds(filter);
    let skipped = 0;
    while (rows - skipped > skippedRowsPerTurn) {
      const last = await this.#db.read(() => statement.get(...bounds));
      if (last === undefined) break;
      bounds = toBounds(filter, Number(last.created_at), String(last.id));
      skipped += skippedRowsPerTurn;
      await waitForNextTurn();
    }
    return { bounds, skipped };
  }
}

function prepareStatements(db: Database) {
  return {
    insertWidget: db.prepare(`INSERT INTO widgets (${columnList}) VALUES (${toPlaceholders(widgetColumns.columns)})`),
    insertKey: db.prepare(
      'INSERT INTO idempotency_keys (scope, key, fingerprint, body, widget_id) VALUES (?, ?, ?, ?, ?)',
    ),
    selectKey: db.prepare('SELECT fingerprint, body, widget_id FROM idempotency_keys WHERE scope = ? AND key = ?'),
    insertEntry: prepareOutboxInsert(db),
    select: db.prepare(`SELECT ${columnList} FROM widgets WHERE id = ?`),
    list: preparePerFilter(db, toPageSql),
    countFrom: preparePerFilter(
      db,
      (condition) => `SELECT count(*) AS n FROM (SELECT 1 FROM widgets WHERE ${condition} LIMIT ?)`,
    ),
    selectLastSkipped: preparePerFilter(
      db,
      (condition) =>
        `SELECT created_at, id FROM widgets WHERE ${condition} ${newestFirst} LIMIT 1 OFFSET ${skippedRowsPerTurn - 1}`,
    ),
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
