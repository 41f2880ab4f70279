import type { StatementSync } from 'node:sqlite';
import type { RowRange } from '@widget-service/shared/domain/page.ts';
import type { LiveSessions, Session, SessionStore } from '@widget-service/shared/ports/session-store.ts';
import type { Database } from './database.ts';

interface SessionRow {
  readonly id: string;
  readonly digest: string;
  readonly user_id: string;
  readonly device: string | null;
  readonly address: string | null;
  readonly created_at: number;
  readonly last_seen_at: number;
  readonly expires_at: number;
}

export class SqliteSessionStore implements SessionStore {
  readonly #db: Database;
  readonly #insert: StatementSync;
  readonly #select: StatementSync;
  readonly #selectById: StatementSync;
  readonly #selectPage: StatementSync;
  readonly #count: StatementSync;
  readonly #updateLastSeen: StatementSync;
  readonly #delete: StatementSync;
  readonly #deleteAllOfUser: StatementSync;
  readonly #deleteExpired: StatementSync;

  constructor(db: Database) {
    this.#db = db;
    this.#insert = db.prepare(
      'INSERT INTO sessions (id, digest, user_id, device, address, created_at, last_seen_at, expires_at) ' +
        'VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    );
    this.#select = db.prepare('SELECT * FROM sessions WHERE digest = ?');
    this.#selectById = db.prepare('SELECT * FROM sessions WHERE user_id = ? AND id = ?');
    const live = 'FROM sessions WHERE user_id = ? AND expires_at > ? AND last_seen_at > ?';
    this.#selectPage = db.prepare(`SELECT * ${live} ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?`);
    this.#count = db.prepare(`SELECT count(*) AS total FROM (SELECT 1 ${live} LIMIT ?)`);
    this.#updateLastSeen = db.prepare('UPDATE sessions SET last_seen_at = ? WHERE digest = ?');
    this.#delete = db.prepare('DELETE FROM sessions WHERE digest = ?');
    // Without an exception the parameter is NULL, and `digest IS NOT NULL` matches every row.
    this.#deleteAllOfUser = db.prepare('DELETE FROM sessions WHERE user_id = ? AND digest IS NOT ?');
    this.#deleteExpired = db.prepare(
      'DELETE FROM sessions WHERE digest IN (SELECT digest FROM sessions WHERE expires_at <= ? LIMIT ?)',
    );
  }

  insert(session: Session): Promise<void> {
    const { id, digest, userId, device, address } = session;
    const times = [session.createdAt, session.lastSeenAt, session.expiresAt].map((time) => time.getTime());
    return this.#db.write(() => {
      this.#insert.run(id, digest, userId, device, address, ...times);
    });
  }

  find(digest: string): Promise<Session | null> {
    return this.#db.read(() => toSession(this.#select.get(digest)));
  }

  findById(userId: string, id: string): Promise<Session | null> {
    return this.#db.read(() => toSession(this.#selectById.get(userId, id)));
  }

  list(selected: LiveSessions, { offset, limit }: RowRange): Promise<Session[]> {
    return this.#db.read(() =>
      this.#selectPage.all(...toValues(selected), limit, offset).flatMap((row) => toSession(row) ?? []),
    );
  }

  count(selected: LiveSessions, atMost: number): Promise<number> {
    return this.#db.read(() => Number(this.#count.get(...toValues(selected), atMost)?.total));
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

function toSession(columns: Record<string, unknown> | undefined): Session | null {
  if (columns === undefined) return null;
  const row = columns as unknown as SessionRow;
  return {
    id: row.id,
    digest: row.digest,
    userId: row.user_id,
    device: row.device,
    address: row.address,
    createdAt: new Date(row.created_at),
    lastSeenAt: new Date(row.last_seen_at),
    expiresAt: new Date(row.expires_at),
  };
}

/** In the order of the parameters that select live sessions. */
function toValues({ userId, expireAfter, seenAfter }: LiveSessions) {
  return [userId, expireAfter.getTime(), seenAfter.getTime()] as const;
}
