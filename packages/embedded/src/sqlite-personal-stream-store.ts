import { createRowReader } from '@widget-service/shared/adapters/row-reader.ts';
import { personalStreamShape } from '@widget-service/shared/adapters/row-shapes.ts';
import type { PersonalStream, PersonalStreamStore } from '@widget-service/shared/ports/personal-stream-store.ts';
import type { Database, Expiring } from './database.ts';
import type { OnWarning } from './on-warning.ts';

interface PersonalStreamRow {
  readonly token_digest: string;
  readonly user_id: string;
  readonly session_digest: string;
  readonly issued_at: number;
  readonly expires_at: number;
}

export function createSqlitePersonalStreamStore(db: Database, onWarning?: OnWarning): PersonalStreamStore & Expiring {
  const rows = createRowReader({
    of: 'personal_streams',
    identify: ({ user_id: userId }: PersonalStreamRow) => `of user ${userId}`,
    convert: toPersonalStream,
    shape: personalStreamShape,
    onWarning,
  });
  const insert = db.prepare(
    'INSERT INTO personal_streams (token_digest, user_id, session_digest, issued_at, expires_at) VALUES (?, ?, ?, ?, ?)',
  );
  const select = db.prepare('SELECT * FROM personal_streams WHERE token_digest = ?');
  const deleteOldest = db.prepare(
    `DELETE FROM personal_streams WHERE token_digest IN
       (SELECT token_digest FROM personal_streams WHERE user_id = ? AND expires_at > ?
        ORDER BY issued_at DESC, token_digest DESC LIMIT -1 OFFSET ?)
     RETURNING session_digest`,
  );
  const deleteExpired = db.prepare(
    `DELETE FROM personal_streams WHERE token_digest IN
       (SELECT token_digest FROM personal_streams WHERE expires_at <= ? LIMIT ?)`,
  );

  return {
    insert: ({ tokenDigest, userId, sessionDigest, issuedAt, expiresAt }) =>
      db.write(() => {
        insert.run(tokenDigest, userId, sessionDigest, issuedAt.getTime(), expiresAt.getTime());
      }),
    removeOldest: (userId, keep, now) =>
      db.write(() => {
        const removed = deleteOldest.all(userId, now.getTime(), keep);
        return [...new Set(removed.map((row) => String(row.session_digest)))];
      }),
    findByTokenDigest: (digest) => db.read(() => rows.readIfAny(select.get(digest) as PersonalStreamRow | undefined)),
    /** Removes the personal streams that have expired at `now`. */
    removeExpired: (now) => db.deleteInBatches(deleteExpired, now.getTime()),
  };
}

function toPersonalStream(row: PersonalStreamRow): PersonalStream {
  return {
    tokenDigest: row.token_digest,
    userId: row.user_id,
    sessionDigest: row.session_digest,
    issuedAt: new Date(row.issued_at),
    expiresAt: new Date(row.expires_at),
  };
}
