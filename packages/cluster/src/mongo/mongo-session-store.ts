import type { LiveSessions, Session, SessionStore } from '@widget-service/shared/ports/session-store.ts';
import { requestDeadlineMs } from '@widget-service/shared/runtime/deadline.ts';
import type { Db } from 'mongodb';
import { deleteDocument } from './delete-document.ts';
import { collectionNames } from './indexes.ts';
import { runPortCall } from './translate-error.ts';

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

export function createMongoSessionStore(db: Db): SessionStore {
  const sessions = db.collection<SessionDocument>(collectionNames.sessions);

  return {
    insert: (session) => {
      const { id, digest, userId, device, address, createdAt, lastSeenAt, expiresAt } = session;
      return runPortCall('insert a session', async () => {
        await sessions.insertOne({ _id: digest, id, userId, device, address, createdAt, lastSeenAt, expiresAt });
      });
    },
    find: (digest) =>
      runPortCall('find a session', async () => {
        const document = await sessions.findOne({ _id: digest }, { maxTimeMS });
        return document === null ? null : toSession(document);
      }),
    findById: (userId, id) =>
      runPortCall('find a session by its id', async () => {
        const document = await sessions.findOne({ userId, id }, { maxTimeMS });
        return document === null ? null : toSession(document);
      }),
    list: (selected, { offset, limit }) =>
      runPortCall("list a user's sessions", async () => {
        const sort = { createdAt: -1, id: -1 } as const;
        const documents = await sessions.find(toQuery(selected), { sort, skip: offset, limit, maxTimeMS }).toArray();
        return documents.map(toSession);
      }),
    count: (selected, atMost) =>
      runPortCall("count a user's sessions", () =>
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
