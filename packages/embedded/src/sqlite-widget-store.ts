import type { StatementSync } from 'node:sqlite';
import type { Widget } from '@widget-service/shared/domain/widget.ts';
import type {
  InsertOutcome,
  WidgetCreation,
  WidgetFilter,
  WidgetStore,
} from '@widget-service/shared/ports/widget-store.ts';
import type { Database } from './database.ts';
import { insertOutboxEntry, prepareOutboxInsert } from './outbox-row.ts';
import { labelsText, toWidget, type WidgetRow, widgetColumns } from './widget-row.ts';

const newestFirst = 'ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?';

export class SqliteWidgetStore implements WidgetStore {
  readonly #db: Database;
  readonly #insertWidget: StatementSync;
  readonly #insertKey: StatementSync;
  readonly #selectKey: StatementSync;
  readonly #insertEntry: StatementSync;
  readonly #select: StatementSync;
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
    const inState = 'state = ? AND created_at <= ?';
    this.#list = {
      any: db.prepare(`SELECT ${widgetColumns} FROM widgets WHERE created_at <= ? ${newestFirst}`),
      inState: db.prepare(`SELECT ${widgetColumns} FROM widgets WHERE ${inState} ${newestFirst}`),
    };
    this.#count = {
      any: db.prepare('SELECT count(*) AS n FROM (SELECT 1 FROM widgets WHERE created_at <= ? LIMIT ?)'),
      inState: db.prepare(`SELECT count(*) AS n FROM (SELECT 1 FROM widgets WHERE ${inState} LIMIT ?)`),
    };
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
      this.#insertWidget.run(...valuesOf(widget));
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

  list(
    filter: WidgetFilter,
    { offset, limit }: { readonly offset: number; readonly limit: number },
  ): Promise<Widget[]> {
    return this.#db.read(() => {
      const rows = this.#list[kindOf(filter)].all(...conditionsOf(filter), limit, offset);
      return (rows as unknown as WidgetRow[]).map(toWidget);
    });
  }

  count(filter: WidgetFilter, atMost: number): Promise<number> {
    return this.#db.read(() => Number(this.#count[kindOf(filter)].get(...conditionsOf(filter), atMost)?.n));
  }
}

function kindOf(filter: WidgetFilter): 'any' | 'inState' {
  return filter.state === null ? 'any' : 'inState';
}

function conditionsOf({ state, createdAtOrBefore }: WidgetFilter): (string | number)[] {
  const createdAt = createdAtOrBefore?.getTime() ?? Number.MAX_SAFE_INTEGER;
  return state === null ? [createdAt] : [state, createdAt];
}

function valuesOf(widget: Widget) {
  return [
    widget.id,
    widget.name,
    widget.state,
    labelsText(widget.labels),
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
