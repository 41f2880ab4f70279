import type { StatementSync } from 'node:sqlite';
import type { Widget } from '@widget-service/shared/domain/widget.ts';
import type {
  InsertOutcome,
  WidgetCreation,
  WidgetFilter,
  WidgetStore,
} from '@widget-service/shared/ports/widget-store.ts';
import type { Database } from './database.ts';
import { insertOutboxEntry, prepareOutboxInsert } from './sqlite-widget-outbox.ts';
import { conditionKind, makeSkipRows, newestFirst, type SkipRows, walkConditions } from './widget-index-walk.ts';
import { serializeLabels, toWidget, type WidgetRow, widgetColumns } from './widget-row.ts';

/** The rows that are skipped are passed by in the index alone: the table is asked only for those of the page. */
function pageWhere(condition: string): string {
  const ids = `SELECT id FROM widgets WHERE ${condition} ${newestFirst} LIMIT ? OFFSET ?`;
  return `SELECT ${widgetColumns} FROM (${ids}) CROSS JOIN widgets USING (id) ${newestFirst}`;
}

function countWhere(condition: string): string {
  return `SELECT count(*) AS n FROM (SELECT 1 FROM widgets WHERE ${condition} LIMIT ?)`;
}

export class SqliteWidgetStore implements WidgetStore {
  readonly #db: Database;
  readonly #insertWidget: StatementSync;
  readonly #insertKey: StatementSync;
  readonly #selectKey: StatementSync;
  readonly #insertEntry: StatementSync;
  readonly #select: StatementSync;
  readonly #walk: SkipRows;
  readonly #list: Record<'any' | 'inState', StatementSync>;
  readonly #count: Record<'any' | 'inState', StatementSync>;

  constructor(db: Database) {
    this.#db = db;
    this.#insertWidget = db.prepare(
      `INSERT INTO widgets (${widgetColumns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#insertKey = db.prepare(
      'INSERT INTO idempotency_keys (scope, key, fingerprint, body, widget_id) VALUES (?, ?, ?, ?, ?)',
    );
    this.#selectKey = db.prepare('SELECT fingerprint, body FROM idempotency_keys WHERE scope = ? AND key = ?');
    this.#insertEntry = prepareOutboxInsert(db);
    this.#select = db.prepare(`SELECT ${widgetColumns} FROM widgets WHERE id = ?`);
    this.#walk = makeSkipRows(db);
    const { any, inState } = walkConditions;
    this.#list = { any: db.prepare(pageWhere(any)), inState: db.prepare(pageWhere(inState)) };
    this.#count = { any: db.prepare(countWhere(any)), inState: db.prepare(countWhere(inState)) };
  }

  insertOnce({ widget, created, idempotency }: WidgetCreation): Promise<InsertOutcome> {
    return this.#db.write(() => {
      if (idempotency !== null) {
        const known = this.#selectKey.get(idempotency.scope, idempotency.key);
        if (known !== undefined) {
          if (known.fingerprint !== idempotency.fingerprint) return { status: 'conflict' };
          return { status: 'replayed', body: String(known.body) };
        }
      }
      this.#insertWidget.run(...toColumnValues(widget));
      if (idempotency !== null) {
        const { scope, key, fingerprint, body } = idempotency;
        this.#insertKey.run(scope, key, fingerprint, body, widget.id);
      }
      insertOutboxEntry(this.#insertEntry, widget.id, created);
      return { status: 'created' };
    });
  }

  get(id: string): Promise<Widget | null> {
    return this.#db.read(() => {
      const row = this.#select.get(id) as WidgetRow | undefined;
      return row === undefined ? null : toWidget(row);
    });
  }

  async list(
    filter: WidgetFilter,
    { offset, limit }: { readonly offset: number; readonly limit: number },
  ): Promise<Widget[]> {
    const { conditions, passed } = await this.#walk(filter, offset);
    return this.#db.read(() => {
      const rows = this.#list[conditionKind(filter.state)].all(...conditions, limit, offset - passed);
      return (rows as unknown as WidgetRow[]).map(toWidget);
    });
  }

  async count(filter: WidgetFilter, atMost: number): Promise<number> {
    const { conditions, passed } = await this.#walk(filter, atMost);
    const count = this.#count[conditionKind(filter.state)];
    return this.#db.read(() => passed + Number(count.get(...conditions, atMost - passed)?.n));
  }
}

function toColumnValues(widget: Widget) {
  return [
    widget.id,
    widget.name,
    widget.state,
    serializeLabels(widget.labels),
    widget.owner?.userId ?? null,
    widget.owner?.email ?? null,
    widget.owner === null ? null : Number(widget.owner.notify),
    widget.createdAt.getTime(),
    widget.updatedAt.getTime(),
    widget.retiredAt?.getTime() ?? null,
    widget.lastEventAt?.getTime() ?? null,
    widget.version,
  ];
}
