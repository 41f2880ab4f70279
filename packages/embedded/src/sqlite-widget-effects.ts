import type { StatementSync } from 'node:sqlite';
import type {
  ApplyOutcome,
  Claim,
  ClaimedWidget,
  WidgetChange,
  WidgetEffects,
} from '@widget-service/shared/ports/widget-effects.ts';
import type { Database } from './database.ts';
import { type Row, unindexedColumns, widgetColumns } from './sqlite-widget-columns.ts';
import { insertOutboxEntry, prepareOutboxInsert, prepareOutboxSelect, selectOutbox } from './sqlite-widget-outbox.ts';
import { writeStorable } from './write-storable.ts';

export class SqliteWidgetEffects implements WidgetEffects {
  readonly #db: Database;
  readonly #select: StatementSync;
  readonly #raiseFence: StatementSync;
  readonly #change: StatementSync;
  readonly #changeState: StatementSync;
  readonly #selectOutbox: StatementSync;
  readonly #insertEntry: StatementSync;

  constructor(db: Database) {
    this.#db = db;
    this.#select = db.prepare('SELECT * FROM widgets WHERE id = ?');
    this.#raiseFence = db.prepare('UPDATE widgets SET fence = ? WHERE id = ?');
    // Without the state: SQLite rewrites the index of every column that an UPDATE names, even if its value stays the
    // same. The state seldom changes.
    const assignments = unindexedColumns.columns.map((column) => `${column} = ?`).join(', ');
    this.#change = db.prepare(`UPDATE widgets SET ${assignments} WHERE id = ? AND fence = ? AND version = ?`);
    this.#changeState = db.prepare('UPDATE widgets SET state = ?1 WHERE id = ?2 AND state <> ?1');
    this.#selectOutbox = prepareOutboxSelect(db);
    this.#insertEntry = prepareOutboxInsert(db);
  }

  claim(run: number, widgetIds: readonly string[]): Promise<Claim> {
    const claimAll = () => {
      const claimed: ClaimedWidget[] = [];
      const superseded: string[] = [];
      for (const id of widgetIds) {
        const row = this.#select.get(id) as (Row & { readonly fence: number }) | undefined;
        if (row === undefined) continue;
        if (row.fence > run) {
          superseded.push(id);
        } else {
          if (row.fence < run) this.#raiseFence.run(run, id);
          claimed.push({ widget: widgetColumns.read(row), outbox: selectOutbox(this.#selectOutbox, id) });
        }
      }
      return { claimed, superseded };
    };
    return this.#db.write(claimAll, { isSynced: false });
  }

  async apply(run: number, changes: readonly WidgetChange[]): Promise<ApplyOutcome> {
    const { results, unstorable } = await writeStorable(this.#db, changes, (part) => this.#changeWidgets(run, part));
    return { superseded: results, unstorable: unstorable.map(({ item, cause }) => ({ id: item.widgetId, cause })) };
  }

  /** Returns the ids of the widgets that this run no longer has a claim on. */
  #changeWidgets(run: number, changes: readonly WidgetChange[]): string[] {
    const superseded: string[] = [];
    for (const change of changes) {
      if (!this.#changeWidget(run, change)) {
        superseded.push(change.widgetId);
        continue;
      }
      for (const entry of change.entries) insertOutboxEntry(this.#insertEntry, change.widgetId, entry);
    }
    return superseded;
  }

  #changeWidget(run: number, { widgetId, fromVersion, after }: WidgetChange): boolean {
    const { changes } = this.#change.run(...unindexedColumns.toValues(after), widgetId, run, fromVersion);
    if (changes !== 1) return false;
    this.#changeState.run(after.state, widgetId);
    return true;
  }
}
