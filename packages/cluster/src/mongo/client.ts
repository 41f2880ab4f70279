import { setTimeout as delay } from 'node:timers/promises';
import { backoffMs } from '@widget-service/shared/runtime/backoff.ts';
import { withDeadline } from '@widget-service/shared/runtime/deadline.ts';
import { ExitError, exitCodes } from '@widget-service/shared/runtime/exit-error.ts';
import { type Db, type DbOptions, MongoClient, type MongoClientOptions, ReadConcern } from 'mongodb';
import { reconnectStuckClient } from './stuck-client.ts';

export interface MongoOptions {
  readonly url: string;
  readonly database: string;
  /** How long `openMongo` tries to connect. */
  readonly startTimeoutMs: number;
  /**
   * After how long a silent connection is closed; 8000 by default. Must be above every deadline, so that no caller
   * still waits for the connection. 0: never.
   */
  readonly socketTimeoutMs?: number;
  readonly onWarning?: (message: string, details?: object) => void;
  /** Called when the client cannot reconnect: only a new process can. */
  readonly onFatal?: (error: Error) => void;
}

export interface MongoConnection {
  readonly db: Db;
  close(): Promise<void>;
}

/** MongoDB did not answer within the start time-out. */
export class MongoUnreachableError extends ExitError {
  constructor(message: string, cause?: unknown) {
    super(exitCodes.storeUnreachable, message, cause === undefined ? undefined : { cause });
  }
}

/**
 * The options that every invariant of the service depends on. They are set on the database: on the client, some options
 * of the connection string (`readConcernLevel`, `journal`) override those given in code.
 */
const databaseOptions: DbOptions = {
  readPreference: 'primary',
  readConcern: new ReadConcern('majority'),
  // After `wtimeoutMS` the server stops waiting for a majority. By then the caller's deadline has passed.
  writeConcern: { w: 'majority', journal: true, wtimeoutMS: 10_000 },
};

const clientOptions: MongoClientOptions = {
  appName: 'widget-service',
  readPreference: 'primary',
  serverSelectionTimeoutMS: 1500,
  connectTimeoutMS: 5000,
  // How long a call waits for a free connection in a burst. Below the deadline of a call (2 s), so that the error names
  // the cause.
  waitQueueTimeoutMS: 1500,
  maxPoolSize: 50,
  // The driver does not retry writes on a server that is no replica set.
  retryWrites: true,
  retryReads: true,
  // Omits undefined members instead of storing null.
  ignoreUndefined: true,
  promoteLongs: true,
  promoteValues: true,
};

/**
 * Makes a client and its database without connecting. Throws an `ExitError` (configuration) for a malformed `url`.
 * @internal Exported for its test.
 */
export function createMongoDatabase(options: Omit<MongoOptions, 'startTimeoutMs'>): { client: MongoClient; db: Db } {
  const client = createClient(options.url, { ...clientOptions, socketTimeoutMS: options.socketTimeoutMs ?? 8000 });
  return { client, db: client.db(options.database, databaseOptions) };
}

/**
 * Connects, and retries until `startTimeoutMs` have passed. Then throws `MongoUnreachableError`. Throws an `ExitError`
 * (configuration) for a malformed `url`.
 */
export async function openMongo(options: MongoOptions): Promise<MongoConnection> {
  const { client, db } = createMongoDatabase(options);
  const end = performance.now() + options.startTimeoutMs;
  for (let failures = 0; ; ) {
    try {
      await client.connect();
      await withDeadline(db.command({ ping: 1 }), 2000, 'MongoDB, ping');
      return watchConnection(client, db, options);
    } catch (error) {
      failures += 1;
      const pauseMs = backoffMs(failures, { firstMs: 100, maxMs: 2000 });
      if (performance.now() + pauseMs >= end) {
        await closeClient(client);
        throw new MongoUnreachableError(
          `MongoDB did not answer within ${options.startTimeoutMs} ms. Check MONGODB_URL and MongoDB.`,
          error,
        );
      }
      await delay(pauseMs);
    }
  }
}

function watchConnection(client: MongoClient, db: Db, { onWarning, onFatal }: MongoOptions): MongoConnection {
  const stopWatch = reconnectStuckClient(client, {
    onStuck: (address) =>
      onWarning?.('mongodb client is stuck; reconnecting', { address, reason: 'a heartbeat did not end' }),
    onFatal: (error) => onFatal?.(error),
  });
  return {
    db,
    close: () => {
      stopWatch();
      return closeClient(client);
    },
  };
}

function createClient(url: string, options: MongoClientOptions): MongoClient {
  try {
    return new MongoClient(url, options);
  } catch {
    // Without the parser's message: it may quote the string, and with it a password.
    throw new ExitError(
      exitCodes.configuration,
      'MONGODB_URL: the value is not a valid MongoDB connection string. Check its format and the names of its options.',
    );
  }
}

/** Never rejects. `close` sends `endSessions`, and a server that does not answer must not delay the exit. */
async function closeClient(client: MongoClient): Promise<void> {
  await withDeadline(client.close(), 2000, 'MongoDB, close').catch(() => undefined);
}
