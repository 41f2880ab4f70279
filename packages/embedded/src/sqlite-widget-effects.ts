import type { StatementSync } from 'node:sqlite';
import { type OnWarning, RowReader } from '@widget-service/shared/adapters/row-reader.ts';
import { loadedWidgetShape } from '@widget-service/shared/adapters/row-shapes.ts';
import type { HookKind } from '@widget-service/shared/domain/event-kind.ts';
import type { OutboxEntry } from '@widget-service/shared/domain/outbox-entry.ts';
import type { WidgetState } from '@widget-service/shared/domain/widget.ts';
import type {
  LoadedWidget,
  OutboxScanCursor,
  PublishedThrough,
  UnpublishedWidget,
  WidgetChange,
  WidgetEffects,
  WidgetOutbox,
} from '@widget-service/shared/ports/widget-store.ts';
import type { Database } from './database.ts';
import { toFlag } from './sqlite-values.ts';
import {
  hookChangedColumns,
  type Row,
  toPlaceholders,
  unindexedColumns,
  widgetColumns,
} from './sqlite-widget-columns.ts';

export class SqliteWidgetEffects implements WidgetEffects {
  readonly #db: Database;
  readonly #widgets: RowReader<Row, LoadedWidget>;
  readonly #select: StatementSync;
  readonly #updateUnindexed: StatementSync;
  readonly #updateState: StatementSync;
  readonly #insertEntry: StatementSync;

  constructor(db: Database, onWarning?: OnWarning) {
    this.#db = db;
    const selectEntries = db.prepare('SELECT * FROM outbox_entries WHERE widget_id = ? ORDER BY version');
    const convert = (row: Row): LoadedWidget => {
      const entries = selectEntries.all(String(row.id)) as unknown as OutboxRow[];
      return { widget: widgetColumns.read(row), outbox: entries.map(toEntry) };
    };
    const identify = ({ id }: Row) => id;
    this.#widgets = new RowReader({ of: 'widgets', identify, convert, shape: loadedWidgetShape }, onWarning);
    this.#select = db.prepare('SELECT * FROM widgets WHERE id = ?');
    // Without the state: SQLite rewrites the index of every column that an UPDATE names, even if its value stays the
    // same. The state seldom changes.
    const assignments = unindexedColumns.columns.map((column) => `${column} = ?`).join(', ');
    this.#updateUnindexed = db.prepare(`UPDATE widgets SET ${assignments} WHERE id = ? AND version = ?`);
    this.#updateState = db.prepare('UPDATE widgets SET state = ?1 WHERE id = ?2 AND state <> ?1');
    this.#insertEntry = prepareOutboxInsert(db);
  }

  load(widgetIds: readonly string[]): Promise<readonly LoadedWidget[]> {
    return this.#db.read(() => widgetIds.flatMap((id) => this.#widgets.readIfAny(this.#select.get(id)) ?? []));
  }

  async apply(changes: readonly WidgetChange[]): ReturnType<WidgetEffects['apply']> {
    const write = (some: readonly WidgetChange[]) => some.filter((change) => !this.#changeWidget(change));
    const { results: superseded, unstorable } = await this.#db.writeStorable(changes, write);
    return {
      superseded: superseded.length > 0,
      unstorable: unstorable.map(({ item, cause }) => ({ id: item.widgetId, cause })),
    };
  }

  /** Returns false if the widget has another version. */
  #changeWidget({ widgetId, fromVersion, after, entries }: WidgetChange): boolean {
    const { changes } = this.#updateUnindexed.run(...unindexedColumns.toValues(after), widgetId, fromVersion);
    if (changes !== 1) return false;
    this.#updateState.run(after.state, widgetId);
    for (const entry of entries) insertOutboxEntry(this.#insertEntry, widgetId, entry);
    return true;
  }
}

export class SqliteWidgetOutbox implements WidgetOutbox {
  readonly #db: Database;
  readonly #delete: StatementSync;
  readonly #selectBetween: StatementSync;

  constructor(db: Database) {
    this.#db = db;
    this.#delete = db.prepare('DELETE FROM outbox_entries WHERE widget_id = ? AND version <= ?');
    this.#selectBetween = db.prepare(
      'SELECT widget_id, received_at FROM outbox_entries AS entry WHERE received_at BETWEEN ? AND ? AND NOT EXISTS ' +
        '(SELECT 1 FROM outbox_entries WHERE widget_id = entry.widget_id AND received_at < entry.received_at) ' +
        'ORDER BY received_at, widget_id',
    );
  }

  removePublished(published: readonly PublishedThrough[]): Promise<void> {
    const remove = () => {
      for (const { widgetId, version } of published) this.#delete.run(widgetId, version);
    };
    return this.#db.write(remove, { isSynced: false });
  }

  findOverdue(before: Date, limit: number, from?: OutboxScanCursor): Promise<UnpublishedWidget[]> {
    return this.#db.read(() => this.#findBetween(0, before.getTime() - 1, limit, from));
  }

  findFutureDated(after: Date, limit: number, from?: OutboxScanCursor): Promise<UnpublishedWidget[]> {
    return this.#db.read(() => this.#findBetween(after.getTime() + 1, Number.MAX_SAFE_INTEGER, limit, from));
  }

  /** Finds the widgets whose oldest entry was received in this span of time, both ends included. */
  #findBetween(firstMs: number, lastMs: number, limit: number, from?: OutboxScanCursor): UnpublishedWidget[] {
    const widgets = new Map<string, UnpublishedWidget>();
    const alreadyScanned = new Set(from?.widgetIds);
    const startMs = Math.max(firstMs, from?.since.getTime() ?? firstMs);
    // Row by row, so that the scan does not read a large backlog beyond the limit. A widget has several rows if its
    // oldest entries were received in the same millisecond.
    for (const row of this.#selectBetween.iterate(startMs, lastMs)) {
      const widgetId = String(row.widget_id);
      if (alreadyScanned.has(widgetId)) continue;
      widgets.set(widgetId, { widgetId, since: new Date(Number(row.received_at)) });
      if (widgets.size >= limit) break;
    }
    return [...widgets.values()];
  }
}

interface OutboxRow extends Row {
  readonly event_id: string;
  readonly kind: HookKind;
  readonly integration_id: string | null;
  readonly occurred_at: string;
  readonly received_at: number;
  readonly late: number;
  readonly state_before: WidgetState | null;
  readonly payload: string | null;
}

const columns = [
  'widget_id',
  'event_id',
  'kind',
  'integration_id',
  'occurred_at',
  'received_at',
  'late',
  'state_before',
  'payload',
  ...hookChangedColumns.columns,
];

export function prepareOutboxInsert(db: Database): StatementSync {
  return db.prepare(`INSERT INTO outbox_entries (${columns.join(', ')}) VALUES (${toPlaceholders(columns)})`);
}

/** Call it inside `Database.write`, with the statement of `prepareOutboxInsert`. */
export function insertOutboxEntry(statement: StatementSync, widgetId: string, entry: OutboxEntry): void {
  statement.run(
    widgetId,
    entry.eventId,
    entry.kind,
    entry.integrationId,
    entry.occurredAt,
    entry.receivedAt.getTime(),
    entry.late ? 1 : 0,
    entry.stateBefore,
    entry.payload,
    ...hookChangedColumns.toValues(entry.after),
  );
}

function toEntry(row: OutboxRow): OutboxEntry {
  return {
    eventId: row.event_id,
    kind: row.kind,
    integrationId: row.integration_id,
    occurredAt: row.occurred_at,
    receivedAt: new Date(row.received_at),
    payload: row.payload,
    late: toFlag(row.late),
    stateBefore: row.state_before,
    after: hookChangedColumns.read(row),
  };
}
