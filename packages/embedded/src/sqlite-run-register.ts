import type { StatementSync } from 'node:sqlite';
import type { NumberedPosition, RunRegister } from '@widget-service/shared/ports/run-register.ts';
import type { Database } from './database.ts';

interface RegisterRow {
  readonly last_run: number;
  readonly epoch: string | null;
  readonly epoch_run: number | null;
  readonly ms: number | null;
  readonly seq: number | null;
}

export class SqliteRunRegister implements RunRegister {
  readonly #db: Database;
  readonly #next: StatementSync;
  readonly #select: StatementSync;
  readonly #record: StatementSync;

  constructor(db: Database) {
    this.#db = db;
    this.#next = db.prepare('UPDATE run_register SET last_run = last_run + 1 RETURNING *');
    this.#select = db.prepare('SELECT * FROM run_register');
    this.#record = db.prepare(
      'UPDATE run_register SET epoch = ?1, epoch_run = ?2, ms = ?3, seq = ?4 ' +
        'WHERE epoch IS NULL OR (epoch_run, seq) < (?2, ?4)',
    );
  }

  next(): Promise<{ readonly run: number; readonly lastPosition: NumberedPosition | null }> {
    return this.#db.write(() => {
      const row = this.#next.get() as unknown as RegisterRow;
      return { run: row.last_run, lastPosition: positionOf(row) };
    });
  }

  lastPosition(): Promise<NumberedPosition | null> {
    return this.#db.read(() => positionOf(this.#select.get() as unknown as RegisterRow));
  }

  record({ epoch, epochRun, ms, seq }: NumberedPosition): Promise<void> {
    return this.#db.write(() => {
      this.#record.run(epoch, epochRun, ms, seq);
    });
  }
}

function positionOf({ epoch, epoch_run: epochRun, ms, seq }: RegisterRow): NumberedPosition | null {
  return epoch === null || epochRun === null || ms === null || seq === null ? null : { epoch, epochRun, ms, seq };
}
