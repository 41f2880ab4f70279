import { createRowReader } from '@widget-service/shared/adapters/row-reader.ts';
import { sessionShape } from '@widget-service/shared/adapters/row-shapes.ts';
import type { LiveSessions, Session, SessionStore } from '@widget-service/shared/ports/session-store.ts';
import { requestDeadlineMs } from '@widget-service/shared/runtime/deadline.ts';
import type { Db } from 'mongodb';
import type { OnWarning } from '../redis/targets.ts';
import { deleteDocument } from './delete-document.ts';
import { collectionNames } from './indexes.ts';
import { insertOwn, runPortCall, runRead } from './translate-error.ts';

const maxTimeMS = requestDeadlineMs;

interface SessionDocument {
  /** The digest. */
  _id: string;
  id: string;
  userId: string;
  device: string | null;
  address: string | null;
  createdAt: Date;
  lastSeenAt: Date;
  expiresAt: Date;
}

export function createMongoSessionStore(db: Db, onWarning?: OnWarning): SessionStore {
  const rows = createRowReader({
    of: collectionNames.sessions,
    // Not `_id`, which is the digest.
    identify: ({ id }: SessionDocument) => id,
    convert: toSession,
    shape: sessionShape,
    onWarning,
  });
  const sessions = db.collection<SessionDocument>(collectionNames.sessions);

  return {
    insert: (session) => {
      const { id, digest, userId, device, address, createdAt, lastSeenAt, expiresAt } = session;
      const document = { _id: digest, id, userId, device, address, createdAt, lastSeenAt, expiresAt };
      return runPortCall('insert a session', () => insertOwn(sessions, document));
    },
    find: (digest) =>
      runRead('find a session', async () => {
        return rows.readIfAny(await sessions.findOne({ _id: digest }, { maxTimeMS }));
      }),
    findById: (userId, id) =>
      runRead('find a session by its id', async () => {
        return rows.readIfAny(await sessions.findOne({ userId, id }, { maxTimeMS }));
      }),
    list: (selected, { offset, limit }) =>
      runRead("list a user's sessions", async () => {
        const sort = { createdAt: -1, id: -1 } as const;
        const documents = await sessions.find(toQuery(selected), { sort, skip: offset, limit, maxTimeMS }).toArray();
        return rows.readList(documents);
      }),
    count: (selected, atMost) =>
      runRead("count a user's sessions", () =>
        sessions.countDocuments(toQuery(selected), { limit: atMost, maxTimeMS }),
      ),
    /** Never lowers the time: two pods may serve one session, and their writes may arrive in either order. */
    recordLastSeen: (digest, lastSeenAt) =>
      runPortCall('record when a session was last seen', async () => {
        await sessions.updateOne({ _id: digest }, { $max: { lastSeenAt } });
      }),
    remove: (digest) =>
      runPortCall('remove a session', async () => {
        await deleteDocument(sessions, { _id: digest });
      }),
    removeAllOf: (userId, exceptDigest) =>
      runPortCall("remove a user's sessions", async () => {
        await sessions.deleteMany({ userId, ...(exceptDigest === null ? {} : { _id: { $ne: exceptDigest } }) });
      }),
  };
}

function toSession(document: SessionDocument): Session {
  const { _id: digest, id, userId, device, address, createdAt, lastSeenAt, expiresAt } = document;
  return { id, digest, userId, device, address, createdAt, lastSeenAt, expiresAt };
}

function toQuery({ userId, expireAfter, seenAfter }: LiveSessions) {
  return { userId, expiresAt: { $gt: expireAfter }, lastSeenAt: { $gt: seenAfter } };
}
