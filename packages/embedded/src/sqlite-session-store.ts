import type { StatementSync } from 'node:sqlite';
import type { Session, SessionStore } from '@widget-service/shared/ports/session-store.ts';
import type { Database } from './database.ts';

interface SessionRow {
  readonly digest: string;
  readonly user_id: string;
  readonly created_at: number;
  readonly last_seen_at: number;
  readonly expires_at: number;
}

export class SqliteSessionStore implements SessionStore {
  readonly #db: Database;
  readonly #insert: StatementSync;
  readonly #select: StatementSync;
  readonly #updateLastSeen: StatementSync;
  readonly #delete: StatementSync;
  readonly #deleteAllOfUser: StatementSync;
  readonly #deleteExpired: StatementSync;

  constructor(db: Database) {
    this.#db = db;
    this.#insert = db.prepare('INSERT INTO sessions VALUES (?, ?, ?, ?, ?)');
    this.#select = db.prepare('SELECT * FROM sessions WHERE digest = ?');
    this.#updateLastSeen = db.prepare('UPDATE sessions SET last_seen_at = ? WHERE digest = ?');
    this.#delete = db.prepare('DELETE FROM sessions WHERE digest = ?');
    // Without an exception the parameter is NULL, and `digest IS NOT NULL` matches every row.
    this.#deleteAllOfUser = db.prepare('DELETE FROM sessions WHERE user_id = ? AND digest IS NOT ?');
    this.#deleteExpired = db.prepare(
      'DELETE FROM sessions WHERE digest IN (SELECT digest FROM sessions WHERE expires_at <= ? LIMIT ?)',
    );
  }

  insert(session: Session): Promise<void> {
    const times = [session.createdAt, session.lastSeenAt, session.expiresAt].map((time) => time.getTime());
    return this.#db.write(() => {
      this.#insert.run(session.digest, session.userId, ...times);
    });
  }

  find(digest: string): Promise<Session | null> {
    return this.#db.read(() => {
      const row = this.#select.get(digest) as SessionRow | undefined;
      if (row === undefined) return null;
      return {
        digest: row.digest,
        userId: row.user_id,
        createdAt: new Date(row.created_at),
        lastSeenAt: new Date(row.last_seen_at),
        expiresAt: new Date(row.expires_at),
      };
    });
  }

  recordLastSeen(digest: string, lastSeenAt: Date): Promise<void> {
    return this.#db.write(() => {
      this.#updateLastSeen.run(lastSeenAt.getTime(), digest);
    });
  }

  remove(digest: string): Promise<void> {
    return this.#db.write(() => {
      this.#delete.run(digest);
    });
  }

  removeAllOf(userId: string, exceptDigest: string | null): Promise<void> {
    return this.#db.write(() => {
      this.#deleteAllOfUser.run(userId, exceptDigest);
    });
  }

  /** Removes the sessions that have expired at `now`. */
  removeExpired(now: Date): Promise<void> {
    return this.#db.deleteInBatches(this.#deleteExpired, now.getTime());
  }
}
