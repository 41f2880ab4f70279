import type { StatementSync } from 'node:sqlite';
import type { ComparablePosition, RunRegistry } from '@widget-service/shared/ports/run-registry.ts';
import type { Database } from './database.ts';

/** The row of `run_registry`. Its position is null before the first one is recorded. */
interface RunRegistryRow {
  readonly last_run: number;
  readonly epoch: string | null;
  readonly epoch_run: number | null;
  readonly ms: number | null;
  readonly seq: number | null;
}

/** The run registry in SQLite: one row with the last run number and the last recorded position. */
export class SqliteRunRegistry implements RunRegistry {
  readonly #db: Database;
  readonly #startRun: StatementSync;
  readonly #select: StatementSync;
  readonly #updatePosition: StatementSync;

  constructor(db: Database) {
    this.#db = db;
    this.#startRun = db.prepare('UPDATE run_registry SET last_run = last_run + 1 RETURNING *');
    this.#select = db.prepare('SELECT * FROM run_registry');
    this.#updatePosition = db.prepare(
      'UPDATE run_registry SET epoch = ?1, epoch_run = ?2, ms = ?3, seq = ?4 ' +
        'WHERE epoch IS ?5 AND epoch_run IS ?6 AND ms IS ?7 AND seq IS ?8',
    );
  }

  startRun(): ReturnType<RunRegistry['startRun']> {
    const takeNumber = () => {
      const row = this.#startRun.get() as unknown as RunRegistryRow;
      return { run: row.last_run, lastPosition: toPosition(row) };
    };
    return this.#db.write(takeNumber, { isSynced: false });
  }

  lastPosition(): Promise<ComparablePosition | null> {
    return this.#db.read(() => toPosition(this.#select.get() as unknown as RunRegistryRow));
  }

  recordPosition(position: ComparablePosition, expected: ComparablePosition | null): Promise<boolean> {
    const record = () => this.#updatePosition.run(...toColumns(position), ...toColumns(expected)).changes === 1;
    return this.#db.write(record, { isSynced: false });
  }
}

function toColumns(position: ComparablePosition | null) {
  return [position?.epoch ?? null, position?.epochRun ?? null, position?.ms ?? null, position?.seq ?? null] as const;
}

function toPosition({ epoch, epoch_run: epochRun, ms, seq }: RunRegistryRow): ComparablePosition | null {
  return epoch === null || epochRun === null || ms === null || seq === null ? null : { epoch, epochRun, ms, seq };
}
