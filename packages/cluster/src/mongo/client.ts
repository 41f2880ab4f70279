import { setTimeout as delay } from 'node:timers/promises';
import { backoffMs } from '@widget-service/shared/runtime/backoff.ts';
import { withDeadline } from '@widget-service/shared/runtime/deadline.ts';
import { ExitError, exitCodes } from '@widget-service/shared/runtime/exit-error.ts';
import { type Db, type DbOptions, MongoClient, type MongoClientOptions, ReadConcern } from 'mongodb';
import { watchHeartbeats } from './heartbeat-watch.ts';

export interface MongoOptions {
  readonly url: string;
  readonly database: string;
  /** How long the first connection is tried for. */
  readonly startTimeoutMs: number;
  /** Above every deadline, so that it only clears away connections nobody waits for; 0: never. */
  readonly socketTimeoutMs?: number;
  readonly onWarning?: (message: string, details?: object) => void;
  /** Called when this process will not find MongoDB again. */
  readonly onFatal?: (error: Error) => void;
}

export interface MongoConnection {
  readonly db: Db;
  close(): Promise<void>;
}

/** MongoDB did not answer while the process was starting. */
export class MongoUnreachableError extends ExitError {
  constructor(message: string, cause?: unknown) {
    super(exitCodes.storeUnreachable, message, cause === undefined ? undefined : { cause });
  }
}

/**
 * What every invariant of the service rests on. It is set on the database and not on the client, because there some
 * options of the connection string (`readConcernLevel`, `journal`) win over those given in code.
 */
const pinned: DbOptions = {
  readPreference: 'primary',
  readConcern: new ReadConcern('majority'),
  // `wtimeoutMS` lets the server forget writes whose majority does not come; the caller was answered long before.
  writeConcern: { w: 'majority', journal: true, wtimeoutMS: 10_000 },
};

const clientOptions: MongoClientOptions = {
  appName: 'widget-service',
  readPreference: 'primary',
  serverSelectionTimeoutMS: 1500,
  connectTimeoutMS: 5000,
  // Within what a call may take: a burst waits its turn instead of being told that MongoDB is away.
  waitQueueTimeoutMS: 1500,
  maxPoolSize: 50,
  // The driver leaves the retry of writes out by itself where the server is no replica set.
  retryWrites: true,
  retryReads: true,
  // A member that is undefined is left out, not stored as null.
  ignoreUndefined: true,
  promoteLongs: true,
  promoteValues: true,
};

/**
 * A client and its database, not yet connected. Throws an `ExitError` (configuration) for a malformed `url`.
 * @internal Exported for its test.
 */
export function createMongoDatabase(options: Omit<MongoOptions, 'startTimeoutMs'>): { client: MongoClient; db: Db } {
  const client = createClient(options.url, { ...clientOptions, socketTimeoutMS: options.socketTimeoutMs ?? 8000 });
  return { client, db: client.db(options.database, pinned) };
}

/** Connects, trying until `startTimeoutMs` have passed; then throws `MongoUnreachableError`. Malformed `url`: above. */
export async function openMongo(options: MongoOptions): Promise<MongoConnection> {
  const { client, db } = createMongoDatabase(options);
  const end = performance.now() + options.startTimeoutMs;
  for (let failures = 0; ; ) {
    try {
      await client.connect();
      await withDeadline(db.command({ ping: 1 }), 2000, 'MongoDB, ping');
      return watched(client, db, options);
    } catch (error) {
      failures += 1;
      const pauseMs = backoffMs(failures, { firstMs: 100, maxMs: 2000 });
      if (performance.now() + pauseMs >= end) {
        await closeClient(client);
        throw new MongoUnreachableError(`MongoDB did not answer within ${options.startTimeoutMs} ms.`, error);
      }
      await delay(pauseMs);
    }
  }
}

function watched(client: MongoClient, db: Db, { onWarning, onFatal }: MongoOptions): MongoConnection {
  const endWatch = watchHeartbeats(client, {
    onStuck: (address) => onWarning?.('mongodb is connected anew', { address, reason: 'a look at it did not end' }),
    onFatal: (error) => onFatal?.(error),
  });
  return {
    db,
    close: () => {
      endWatch();
      return closeClient(client);
    },
  };
}

function createClient(url: string, options: MongoClientOptions): MongoClient {
  try {
    return new MongoClient(url, options);
  } catch {
    // The parser's message may quote the string, and with it a password.
    throw new ExitError(
      exitCodes.configuration,
      'MONGODB_URL: the given value is not allowed; allowed: a connection string of MongoDB, with options it knows',
    );
  }
}

/** The driver says goodbye to the server first, and a server that does not answer must not keep a process alive. */
async function closeClient(client: MongoClient): Promise<void> {
  await withDeadline(client.close(), 2000, 'MongoDB, close').catch(() => undefined);
}
