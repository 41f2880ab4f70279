import { createRowReader, type OnWarning } from '@widget-service/shared/adapters/row-reader.ts';
import { loadedWidgetShape } from '@widget-service/shared/adapters/row-shapes.ts';
import type { LoadedWidget, WidgetChange, WidgetEffects } from '@widget-service/shared/ports/widget-effects.ts';
import type { Database } from './database.ts';
import { type Row, unindexedColumns, widgetColumns } from './sqlite-widget-columns.ts';
import { insertOutboxEntry, prepareOutboxInsert, prepareOutboxSelect, selectOutbox } from './sqlite-widget-outbox.ts';
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
