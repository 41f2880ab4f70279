import { createRowReader } from '@widget-service/shared/adapters/row-reader.ts';
import { sessionShape } from '@widget-service/shared/adapters/row-shapes.ts';
import type { LiveSessions, Session, SessionStore } from '@widget-service/shared/ports/session-store.ts';
import type { Database, Expiring } from './database.ts';
import type { OnWarning } from './on-warning.ts';
import type { Row } from './sqlite-widget-columns.ts';

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

export function createSqliteSessionStore(db: Database, onWarning?: OnWarning): SessionStore & Expiring {
  const rows = createRowReader({
    of: 'sessions',
    identify: ({ id }: Row) => id,
    convert: toSession,
    shape: sessionShape,
    onWarning,
  });
  const insert = db.prepare(
    'INSERT INTO sessions (id, digest, user_id, device, address, created_at, last_seen_at, expires_at) ' +
      'VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const select = db.prepare('SELECT * FROM sessions WHERE digest = ?');
  const selectById = db.prepare('SELECT * FROM sessions WHERE user_id = ? AND id = ?');
  const live = 'FROM sessions WHERE user_id = ? AND expires_at > ? AND last_seen_at > ?';
  const selectPage = db.prepare(`SELECT * ${live} ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?`);
  const count = db.prepare(`SELECT count(*) AS total FROM (SELECT 1 ${live} LIMIT ?)`);
  const updateLastSeen = db.prepare('UPDATE sessions SET last_seen_at = ? WHERE digest = ?');
  const deleteRow = db.prepare('DELETE FROM sessions WHERE digest = ?');
  // Without an exception the parameter is NULL, and `digest IS NOT NULL` matches every row.
  const deleteAllOfUser = db.prepare('DELETE FROM sessions WHERE user_id = ? AND digest IS NOT ?');
  const deleteExpired = db.prepare(
    'DELETE FROM sessions WHERE digest IN (SELECT digest FROM sessions WHERE expires_at <= ? LIMIT ?)',
  );

  return {
    insert: (session) => {
      const { id, digest, userId, device, address } = session;
      const times = [session.createdAt, session.lastSeenAt, session.expiresAt].map((time) => time.getTime());
      return db.write(() => {
        insert.run(id, digest, userId, device, address, ...times);
      });
    },
    find: (digest) => db.read(() => rows.readIfAny(select.get(digest))),
    findById: (userId, id) => db.read(() => rows.readIfAny(selectById.get(userId, id))),
    list: (selected, { offset, limit }) =>
      db.read(() => rows.readList(selectPage.all(...toValues(selected), limit, offset))),
    count: (selected, atMost) => db.read(() => Number(count.get(...toValues(selected), atMost)?.total)),
    recordLastSeen: (digest, lastSeenAt) =>
      db.write(() => {
        updateLastSeen.run(lastSeenAt.getTime(), digest);
      }),
    remove: (digest) =>
      db.write(() => {
        deleteRow.run(digest);
      }),
    removeAllOf: (userId, exceptDigest) =>
      db.write(() => {
        deleteAllOfUser.run(userId, exceptDigest);
      }),
    /** Removes the sessions that have expired at `now`. */
    removeExpired: (now) => db.deleteInBatches(deleteExpired, now.getTime()),
  };
}

function toSession(columns: Row): Session {
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
