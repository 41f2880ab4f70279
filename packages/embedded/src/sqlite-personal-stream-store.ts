import type { StatementSync } from 'node:sqlite';
import type { PersonalStream, PersonalStreamStore } from '@widget-service/shared/ports/personal-stream-store.ts';
import type { Database } from './database.ts';

interface PersonalStreamRow {
  readonly token_digest: string;
  readonly user_id: string;
  readonly session_digest: string;
  readonly issued_at: number;
  readonly expires_at: number;
}

export class SqlitePersonalStreamStore implements PersonalStreamStore {
  readonly #db: Database;
  readonly #insert: StatementSync;
  readonly #select: StatementSync;
  readonly #deleteOldest: StatementSync;
  readonly #deleteExpired: StatementSync;

  constructor(db: Database) {
    this.#db = db;
    this.#insert = db.prepare(
      'INSERT INTO personal_streams (token_digest, user_id, session_digest, issued_at, expires_at) VALUES (?, ?, ?, ?, ?)',
    );
    this.#select = db.prepare('SELECT * FROM personal_streams WHERE token_digest = ?');
    this.#deleteOldest = db.prepare(
      `DELETE FROM personal_streams WHERE token_digest IN
         (SELECT token_digest FROM personal_streams WHERE user_id = ? AND expires_at > ?
          ORDER BY issued_at DESC, token_digest DESC LIMIT -1 OFFSET ?)
       RETURNING session_digest`,
    );
    this.#deleteExpired = db.prepare(
      `DELETE FROM personal_streams WHERE token_digest IN
         (SELECT token_digest FROM personal_streams WHERE expires_at <= ? LIMIT ?)`,
    );
  }

  insert({ tokenDigest, userId, sessionDigest, issuedAt, expiresAt }: PersonalStream): Promise<void> {
    return this.#db.write(() => {
      this.#insert.run(tokenDigest, userId, sessionDigest, issuedAt.getTime(), expiresAt.getTime());
    });
  }

  removeOldest(userId: string, keep: number, now: Date): Promise<readonly string[]> {
    return this.#db.write(() => {
      const removed = this.#deleteOldest.all(userId, now.getTime(), keep);
      return [...new Set(removed.map((row) => String(row.session_digest)))];
    });
  }

  findByTokenDigest(digest: string): Promise<PersonalStream | null> {
    return this.#db.read(() => {
      const row = this.#select.get(digest) as PersonalStreamRow | undefined;
      if (row === undefined) return null;
      return {
        tokenDigest: row.token_digest,
        userId: row.user_id,
        sessionDigest: row.session_digest,
        issuedAt: new Date(row.issued_at),
        expiresAt: new Date(row.expires_at),
      };
    });
  }

  /** Removes the personal streams that have expired at `now`. */
  removeExpired(now: Date): Promise<void> {
    return this.#db.deleteInBatches(this.#deleteExpired, now.getTime());
  }
}
