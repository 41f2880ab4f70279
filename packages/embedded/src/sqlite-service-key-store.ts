import type { StatementSync } from 'node:sqlite';
import type { ServiceKeyStore } from '@widget-service/shared/ports/service-key-store.ts';
import type { Database } from './database.ts';

export class SqliteServiceKeyStore implements ServiceKeyStore {
  readonly #db: Database;
  readonly #insert: StatementSync;
  readonly #select: StatementSync;

  constructor(db: Database) {
    this.#db = db;
    this.#insert = db.prepare('INSERT INTO service_keys (name, secret) VALUES (?, ?) ON CONFLICT (name) DO NOTHING');
    this.#select = db.prepare('SELECT secret FROM service_keys WHERE name = ?');
  }

  ensure(name: string, candidate: string): Promise<string> {
    return this.#db.write(() => {
      this.#insert.run(name, candidate);
      return String(this.#select.get(name)?.secret);
    });
  }
}
