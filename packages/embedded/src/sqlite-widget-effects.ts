import type { StatementSync } from 'node:sqlite';
import { createRowReader, type OnWarning } from '@widget-service/shared/adapters/row-reader.ts';
import { loadedWidgetShape } from '@widget-service/shared/adapters/row-shapes.ts';
import type { HookKind } from '@widget-service/shared/domain/event-kind.ts';
import type { OutboxEntry } from '@widget-service/shared/domain/outbox-entry.ts';
import type { WidgetState } from '@widget-service/shared/domain/widget.ts';
import type {
  LoadedWidget,
  OutboxScanCursor,
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
import { writeStorable } from './write-storable.ts';

export function createSqliteWidgetEffects(db: Database, onWarning?: OnWarning): WidgetEffects {
  const select = db.prepare('SELECT * FROM widgets WHERE id = ?');
  // Without the state: SQLite rewrites the index of every column that an UPDATE names, even if its value stays the
  // same. The state seldom changes.
  const assignments = unindexedColumns.columns.map((column) => `${column} = ?`).join(', ');
  const updateUnindexed = db.prepare(`UPDATE widgets SET ${assignments} WHERE id = ? AND version = ?`);
  const updateState = db.prepare('UPDATE widgets SET state = ?1 WHERE id = ?2 AND state <> ?1');
  const selectEntries = prepareOutboxSelect(db);
  const insertEntry = prepareOutboxInsert(db);

  /** Returns the ids of the widgets whose version is another one. */
  function changeWidgets(changes: readonly WidgetChange[]): string[] {
    const superseded: string[] = [];
    for (const change of changes) {
      if (!changeWidget(change)) {
        superseded.push(change.widgetId);
        continue;
      }
      for (const entry of change.entries) insertOutboxEntry(insertEntry, change.widgetId, entry);
    }
    return superseded;
  }

  function changeWidget({ widgetId, fromVersion, after }: WidgetChange): boolean {
    const { changes } = updateUnindexed.run(...unindexedColumns.toValues(after), widgetId, fromVersion);
    if (changes !== 1) return false;
    updateState.run(after.state, widgetId);
    return true;
  }

  const widgets = createRowReader({
    of: 'widgets',
    identify: ({ id }: Row) => id,
    convert: (row): LoadedWidget => ({
      widget: widgetColumns.read(row),
      outbox: selectOutbox(selectEntries, String(row.id)),
    }),
    shape: loadedWidgetShape,
    onWarning,
  });

  function loadWidget(id: string): LoadedWidget[] {
    const row = select.get(id);
    return row === undefined ? [] : [widgets.read(row)];
  }

  return {
    load: (widgetIds) => db.read(() => widgetIds.flatMap(loadWidget)),
    apply: async (changes) => {
      const { results, unstorable } = await writeStorable(db, changes, changeWidgets);
      return {
        superseded: results.length > 0,
        unstorable: unstorable.map(({ item, cause }) => ({ id: item.widgetId, cause })),
      };
    },
  };
}

export function createSqliteWidgetOutbox(db: Database): WidgetOutbox {
  const deleteRow = db.prepare('DELETE FROM outbox_entries WHERE widget_id = ? AND version <= ?');
  const selectBetween = db.prepare(
    'SELECT widget_id, received_at FROM outbox_entries AS entry WHERE received_at BETWEEN ? AND ? AND NOT EXISTS ' +
      '(SELECT 1 FROM outbox_entries WHERE widget_id = entry.widget_id AND received_at < entry.received_at) ' +
      'ORDER BY received_at, widget_id',
  );

  /** Finds the widgets whose oldest entry was received in this span of time, both ends included. */
  function findBetween(firstMs: number, lastMs: number, limit: number, from?: OutboxScanCursor): UnpublishedWidget[] {
    const widgets = new Map<string, UnpublishedWidget>();
    const alreadyScanned = new Set(from?.widgetIds);
    const startMs = Math.max(firstMs, from?.since.getTime() ?? firstMs);
    // Row by row, so that the scan does not read a large backlog beyond the limit. A widget has several rows if its
    // oldest entries were received in the same millisecond.
    for (const row of selectBetween.iterate(startMs, lastMs)) {
      const widgetId = String(row.widget_id);
      if (alreadyScanned.has(widgetId)) continue;
      widgets.set(widgetId, { widgetId, since: new Date(Number(row.received_at)) });
      if (widgets.size >= limit) break;
    }
    return [...widgets.values()];
  }

  return {
    removePublished: (published) => {
      const remove = () => {
        for (const { widgetId, version } of published) deleteRow.run(widgetId, version);
      };
      return db.write(remove, { isSynced: false });
    },
    findOverdue: (before, limit, from) => db.read(() => findBetween(0, before.getTime() - 1, limit, from)),
    findFutureDated: (after, limit, from) =>
      db.read(() => findBetween(after.getTime() + 1, Number.MAX_SAFE_INTEGER, limit, from)),
  };
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

function prepareOutboxSelect(db: Database): StatementSync {
  return db.prepare('SELECT * FROM outbox_entries WHERE widget_id = ? ORDER BY version');
}

/** Returns a widget's outbox, oldest entry first. `statement` comes from `prepareOutboxSelect`. */
function selectOutbox(statement: StatementSync, widgetId: string): OutboxEntry[] {
  return (statement.all(widgetId) as unknown as OutboxRow[]).map(toEntry);
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
