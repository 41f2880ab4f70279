import type { StatementSync } from 'node:sqlite';
import type { Integration, IntegrationStore } from '@widget-service/shared/ports/integration-store.ts';
import type { Database } from './database.ts';

interface IntegrationRow {
  readonly id: string;
  readonly name: string;
  readonly token_digest: string;
  readonly deduplicate_by_content: number;
  readonly created_at: number;
}

export class SqliteIntegrationStore implements IntegrationStore {
  readonly #db: Database;
  readonly #insert: StatementSync;
  readonly #select: StatementSync;

  constructor(db: Database) {
    this.#db = db;
    this.#insert = db.prepare(
      'INSERT INTO integrations (id, name, token_digest, deduplicate_by_content, created_at) VALUES (?, ?, ?, ?, ?)',
    );
    this.#select = db.prepare('SELECT * FROM integrations WHERE token_digest = ?');
  }

  insert({ id, name, tokenDigest, deduplicateByContent, createdAt }: Integration): Promise<void> {
    return this.#db.write(() => {
      this.#insert.run(id, name, tokenDigest, deduplicateByContent ? 1 : 0, createdAt.getTime());
    });
  }

  findByTokenDigest(digest: string): Promise<Integration | null> {
    return this.#db.read(() => {
      const row = this.#select.get(digest) as IntegrationRow | undefined;
      if (row === undefined) return null;
      return {
        id: row.id,
        name: row.name,
        tokenDigest: row.token_digest,
        deduplicateByContent: row.deduplicate_by_content === 1,
        createdAt: new Date(row.created_at),
      };
    });
  }
}
