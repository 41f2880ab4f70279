import type { Session, SessionStore } from '@widget-service/shared/ports/session-store.ts';
import { requestDeadlineMs } from '@widget-service/shared/runtime/deadline.ts';
import type { Collection, Db } from 'mongodb';
import { deleteDocument } from './delete-document.ts';
import { collectionNames } from './indexes.ts';
import { runPortCall } from './translate-error.ts';

interface SessionDocument {
  /** The digest. */
  _id: string;
  userId: string;
  createdAt: Date;
  lastSeenAt: Date;
  expiresAt: Date;
}

export class MongoSessionStore implements SessionStore {
  readonly #sessions: Collection<SessionDocument>;

  constructor(db: Db) {
    this.#sessions = db.collection<SessionDocument>(collectionNames.sessions);
  }

  insert({ digest, userId, createdAt, lastSeenAt, expiresAt }: Session): Promise<void> {
    return runPortCall('insert a session', async () => {
      await this.#sessions.insertOne({ _id: digest, userId, createdAt, lastSeenAt, expiresAt });
    });
  }

  find(digest: string): Promise<Session | null> {
    return runPortCall('find a session', async () => {
      const document = await this.#sessions.findOne({ _id: digest }, { maxTimeMS: requestDeadlineMs });
      if (document === null) return null;
      const { userId, createdAt, lastSeenAt, expiresAt } = document;
      return { digest, userId, createdAt, lastSeenAt, expiresAt };
    });
  }

  /** Never lowers the time: two pods may serve one session, and their writes may arrive in either order. */
  recordLastSeen(digest: string, lastSeenAt: Date): Promise<void> {
    return runPortCall('record when a session was last seen', async () => {
      await this.#sessions.updateOne({ _id: digest }, { $max: { lastSeenAt } });
    });
  }

  remove(digest: string): Promise<void> {
    return runPortCall('remove a session', async () => {
      await deleteDocument(this.#sessions, { _id: digest });
    });
  }

  removeAllOf(userId: string, exceptDigest: string | null): Promise<void> {
    return runPortCall("remove a user's sessions", async () => {
      await this.#sessions.deleteMany({ userId, ...(exceptDigest === null ? {} : { _id: { $ne: exceptDigest } }) });
    });
  }
}
