import type { StatementSync } from 'node:sqlite';
import type { QuarantinedText, QuarantineStore } from '@widget-service/shared/ports/quarantine-store.ts';
import type { Database } from './database.ts';

export class SqliteQuarantineStore implements QuarantineStore {
  readonly #db: Database;
  readonly #insert: StatementSync;
  readonly #select: StatementSync;

  constructor(db: Database) {
    this.#db = db;
    this.#insert = db.prepare('INSERT INTO quarantine (id, text) VALUES (?, ?) ON CONFLICT (id) DO NOTHING');
    this.#select = db.prepare('SELECT id, text FROM quarantine LIMIT ?');
  }

  add({ id, text }: QuarantinedText): Promise<void> {
    return this.#db.write(() => {
      this.#insert.run(id, text);
    });
  }

  list(limit: number): Promise<QuarantinedText[]> {
    return this.#db.read(() => this.#select.all(limit).map(({ id, text }) => ({ id: String(id), text: String(text) })));
  }
}
