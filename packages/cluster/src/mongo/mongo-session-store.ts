import type { RowRange } from '@widget-service/shared/domain/page.ts';
import type { LiveSessions, Session, SessionStore } from '@widget-service/shared/ports/session-store.ts';
import { requestDeadlineMs } from '@widget-service/shared/runtime/deadline.ts';
import type { Collection, Db } from 'mongodb';
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

export class MongoSessionStore implements SessionStore {
  readonly #sessions: Collection<SessionDocument>;

  constructor(db: Db) {
    this.#sessions = db.collection<SessionDocument>(collectionNames.sessions);
  }

  insert(session: Session): Promise<void> {
    const { id, digest, userId, device, address, createdAt, lastSeenAt, expiresAt } = session;
    return runPortCall('insert a session', async () => {
      await this.#sessions.insertOne({ _id: digest, id, userId, device, address, createdAt, lastSeenAt, expiresAt });
    });
  }

  find(digest: string): Promise<Session | null> {
    return runPortCall('find a session', async () => {
      const document = await this.#sessions.findOne({ _id: digest }, { maxTimeMS });
      return document === null ? null : toSession(document);
    });
  }

  findById(userId: string, id: string): Promise<Session | null> {
    return runPortCall('find a session by its id', async () => {
      const document = await this.#sessions.findOne({ userId, id }, { maxTimeMS });
      return document === null ? null : toSession(document);
    });
  }

  list(selected: LiveSessions, { offset, limit }: RowRange): Promise<Session[]> {
    return runPortCall("list a user's sessions", async () => {
      const sort = { createdAt: -1, id: -1 } as const;
      const documents = await this.#sessions
        .find(toQuery(selected), { sort, skip: offset, limit, maxTimeMS })
        .toArray();
      return documents.map(toSession);
    });
  }

  count(selected: LiveSessions, atMost: number): Promise<number> {
    return runPortCall("count a user's sessions", () =>
      this.#sessions.countDocuments(toQuery(selected), { limit: atMost, maxTimeMS }),
    );
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

function toSession(document: SessionDocument): Session {
  const { _id: digest, id, userId, device, address, createdAt, lastSeenAt, expiresAt } = document;
  return { id, digest, userId, device, address, createdAt, lastSeenAt, expiresAt };
}

function toQuery({ userId, expireAfter, seenAfter }: LiveSessions) {
  return { userId, expiresAt: { $gt: expireAfter }, lastSeenAt: { $gt: seenAfter } };
}
