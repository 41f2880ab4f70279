import type { StatementSync } from 'node:sqlite';
import type { QuarantinedText, QuarantineStore } from '@widget-service/shared/ports/quarantine-store.ts';
import type { Database } from './database.ts';

export class SqliteQuarantineStore implements QuarantineStore {
  readonly #db: Database;
  readonly #insert: StatementSync;

  constructor(db: Database) {
    this.#db = db;
    this.#insert = db.prepare('INSERT INTO quarantine (id, text) VALUES (?, ?) ON CONFLICT (id) DO NOTHING');
  }

  add({ id, text }: QuarantinedText): Promise<void> {
    return this.#db.write(() => {
      this.#insert.run(id, text);
    });
  }
}
