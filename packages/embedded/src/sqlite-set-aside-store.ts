import type { StatementSync } from 'node:sqlite';
import type { SetAsideStore, SetAsideText } from '@widget-service/shared/ports/set-aside-store.ts';
import type { Database } from './database.ts';

export class SqliteSetAsideStore implements SetAsideStore {
  readonly #db: Database;
  readonly #insert: StatementSync;
  readonly #select: StatementSync;

  constructor(db: Database) {
    this.#db = db;
    this.#insert = db.prepare('INSERT INTO set_aside (id, text) VALUES (?, ?) ON CONFLICT (id) DO NOTHING');
    this.#select = db.prepare('SELECT id, text FROM set_aside LIMIT ?');
  }

  keep({ id, text }: SetAsideText): Promise<void> {
    return this.#db.write(() => {
      this.#insert.run(id, text);
    });
  }

  list(limit: number): Promise<SetAsideText[]> {
    return this.#db.read(() => this.#select.all(limit).map(({ id, text }) => ({ id: String(id), text: String(text) })));
  }
}
