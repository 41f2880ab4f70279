import type { ClaimedWidget, WidgetChange, WidgetEffects } from '@widget-service/shared/ports/widget-effects.ts';
import type { Database } from './database.ts';
import { type Row, unindexedColumns, widgetColumns } from './sqlite-widget-columns.ts';
import { insertOutboxEntry, prepareOutboxInsert, prepareOutboxSelect, selectOutbox } from './sqlite-widget-outbox.ts';
import { writeStorable } from './write-storable.ts';

export function createSqliteWidgetEffects(db: Database): WidgetEffects {
  const select = db.prepare('SELECT * FROM widgets WHERE id = ?');
  const raiseFence = db.prepare('UPDATE widgets SET fence = ? WHERE id = ?');
  // Without the state: SQLite rewrites the index of every column that an UPDATE names, even if its value stays the
  // same. The state seldom changes.
  const assignments = unindexedColumns.columns.map((column) => `${column} = ?`).join(', ');
  const updateUnindexed = db.prepare(`UPDATE widgets SET ${assignments} WHERE id = ? AND fence = ? AND version = ?`);
  const updateState = db.prepare('UPDATE widgets SET state = ?1 WHERE id = ?2 AND state <> ?1');
  const selectEntries = prepareOutboxSelect(db);
  const insertEntry = prepareOutboxInsert(db);

  /** Returns the ids of the widgets that this run no longer has a claim on. */
  function changeWidgets(run: number, changes: readonly WidgetChange[]): string[] {
    const superseded: string[] = [];
    for (const change of changes) {
      if (!changeWidget(run, change)) {
        superseded.push(change.widgetId);
        continue;
      }
      for (const entry of change.entries) insertOutboxEntry(insertEntry, change.widgetId, entry);
    }
    return superseded;
  }

  function changeWidget(run: number, { widgetId, fromVersion, after }: WidgetChange): boolean {
    const { changes } = updateUnindexed.run(...unindexedColumns.toValues(after), widgetId, run, fromVersion);
    if (changes !== 1) return false;
    updateState.run(after.state, widgetId);
    return true;
  }

  return {
    claim: (run, widgetIds) => {
      const claimAll = () => {
        const claimed: ClaimedWidget[] = [];
        const superseded: string[] = [];
        for (const id of widgetIds) {
          const row = select.get(id) as (Row & { readonly fence: number }) | undefined;
          if (row === undefined) continue;
          if (row.fence > run) {
            superseded.push(id);
          } else {
            if (row.fence < run) raiseFence.run(run, id);
            claimed.push({ widget: widgetColumns.read(row), outbox: selectOutbox(selectEntries, id) });
          }
        }
        return { claimed, superseded };
      };
      return db.write(claimAll, { isSynced: false });
    },
    apply: async (run, changes) => {
      const { results, unstorable } = await writeStorable(db, changes, (part) => changeWidgets(run, part));
      return { superseded: results, unstorable: unstorable.map(({ item, cause }) => ({ id: item.widgetId, cause })) };
    },
  };
}
