import type { StatementSync } from 'node:sqlite';
import type { Subscription, SubscriptionStore } from '@widget-service/shared/ports/subscription-store.ts';
import type { Database } from './database.ts';

interface SubscriptionRow {
  readonly id: string;
  readonly name: string;
  readonly token_digest: string;
  readonly created_at: number;
}

export class SqliteSubscriptionStore implements SubscriptionStore {
  readonly #db: Database;
  readonly #insert: StatementSync;
  readonly #select: StatementSync;

  constructor(db: Database) {
    this.#db = db;
    this.#insert = db.prepare('INSERT INTO subscriptions (id, name, token_digest, created_at) VALUES (?, ?, ?, ?)');
    this.#select = db.prepare('SELECT * FROM subscriptions WHERE token_digest = ?');
  }

  insert({ id, name, tokenDigest, createdAt }: Subscription): Promise<void> {
    return this.#db.write(() => {
      this.#insert.run(id, name, tokenDigest, createdAt.getTime());
    });
  }

  findByTokenDigest(digest: string): Promise<Subscription | null> {
    return this.#db.read(() => {
      const row = this.#select.get(digest) as SubscriptionRow | undefined;
      if (row === undefined) return null;
      return { id: row.id, name: row.name, tokenDigest: row.token_digest, createdAt: new Date(row.created_at) };
    });
  }
}
