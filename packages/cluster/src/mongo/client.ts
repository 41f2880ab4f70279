import { setTimeout as delay } from 'node:timers/promises';
import type { Settings } from '@widget-service/shared/config/settings.ts';
import { backoffMs, withDeadline } from '@widget-service/shared/runtime/clock.ts';
import { ExitError, exitCodes } from '@widget-service/shared/runtime/exit-error.ts';
import { findDatabaseName } from '@widget-service/shared/runtime/host-name.ts';
import {
  type Db,
  type DbOptions,
  type Document,
  MongoClient,
  type MongoClientOptions,
  MongoCompatibilityError,
  MongoInvalidArgumentError,
  MongoMissingCredentialsError,
  MongoMissingDependencyError,
  MongoParseError,
  MongoServerError,
  MongoServerSelectionError,
  ReadConcern,
} from 'mongodb';
import { describeConnectionError } from '../redis/connection-errors.ts';
import { reconnectStuckClient } from './stuck-client.ts';
import { describeSelectionError } from './translate-error.ts';
import { isPemFile, listIgnoredOptions, pinned, requireUsableOptions, withoutReplaced } from './url-options.ts';

export interface MongoOptions extends Pick<Settings, 'MONGODB_URL'> {
  /** How long `openMongo` tries to connect. Default: 30 s. */
  readonly startTimeoutMs?: number;
  /** After how long a silent connection is closed. Default: `pinned.socketTimeoutMS`. 0: never. */
  readonly socketTimeoutMs?: number;
  readonly onWarning?: (message: string, details?: object) => void;
  /** Called when the client cannot reconnect: only a new process can. */
  readonly onFatal?: (error: Error) => void;
}

export interface MongoConnection {
  readonly db: Db;
  close(): Promise<void>;
}

/** Longer than an election of MongoDB, which takes about 12 s. Shorter than the patience of who starts the service. */
const startTimeoutDefaultMs = 30_000;

/** MongoDB did not answer within the start time-out. */
export class MongoUnreachableError extends ExitError {
  constructor(message: string, cause?: unknown) {
    super(exitCodes.storeUnreachable, message, cause === undefined ? undefined : { cause });
  }
}

/** Retrying does not help: MongoDB does not accept the credentials, or the client cannot use what `url` names. */
class MongoRefusalError extends ExitError {
  constructor(cause: Error) {
    super(
      exitCodes.configuration,
      `MONGODB_URL: it cannot be used (${describeRefusal(cause)}); correct it, or MongoDB`,
    );
  }
}

const ownChecks = [
  MongoParseError,
  MongoInvalidArgumentError,
  MongoMissingCredentialsError,
  MongoMissingDependencyError,
  MongoCompatibilityError,
];

/**
 * True for the driver's own checks, a file of `tlsCAFile` and the like that cannot be read or is no certificate, and
 * answers about credentials and permissions.
 */
export function isRefusedSetting(error: unknown): error is Error {
  if (ownChecks.some((kind) => error instanceof kind)) return true;
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as { code?: unknown; syscall?: unknown };
  if (error instanceof MongoServerError) return findRefused(error) !== null;
  // A folder can be opened, and not read. A connection that the peer resets has the `syscall` of a read, too.
  if (syscall === 'open' || (syscall === 'read' && code === 'EISDIR') || /^ERR_(?:OSSL|CRYPTO)/.test(`${code}`))
    return true;
  // The driver wraps the errors of Node's TLS.
  return isRefusedSetting(error.cause);
}

/** Of the answers of MongoDB: Unauthorized, AuthenticationFailed. */
const refusedByCode: ReadonlyMap<unknown, 'permission' | 'credentials'> = new Map([
  [13, 'permission'],
  [18, 'credentials'],
]);
/** The code of MongoDB Atlas for everything that it answers itself. Only the text says what it is. */
const atlasError = 8000;

function findRefused({ code, message }: MongoServerError): 'permission' | 'credentials' | null {
  if (code !== atlasError) return refusedByCode.get(code) ?? null;
  if (/bad auth|authentication failed/i.test(message)) return 'credentials';
  return /not allowed to do action|not authorized/i.test(message) ? 'permission' : null;
}

/**
 * Without the driver's own message, which may quote the connection string. The answer of MongoDB quotes only the
 * command, and names the action that is not allowed. Of a file, the path.
 */
function describeRefusal(error: Error): string {
  const { code, path } = error as NodeJS.ErrnoException;
  if (error instanceof MongoServerError) {
    return findRefused(error) === 'credentials'
      ? `MongoDB refuses its user name or password: ${shorten(error.message)}`
      : `MongoDB refuses a permission that the service needs: ${shorten(error.message)}`;
  }
  if (ownChecks.some((kind) => error instanceof kind)) return error.name;
  return ['a certificate or key file', path, code].filter(Boolean).join(', ');
}

/** MongoDB quotes the whole command: `not authorized on widgets to execute command { createIndexes: "widgets", … }`. */
function shorten(message: string): string {
  return message.length <= 160 ? message : `${message.slice(0, 160)}…`;
}

/** Runs one of the first calls that need a permission. Throws `MongoRefusalError` if MongoDB refuses it. */
export async function requireAccess<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isRefusedSetting(error) ? new MongoRefusalError(error) : error;
  }
}

/** In milliseconds: a day. The driver adds up such times, and a timer of more than 2^31 ms expires at once. */
const timeMaxMs = 86_400_000;

function requireShortTimes(options: object): void {
  for (const [name, value] of Object.entries(options)) {
    if (!name.endsWith('MS') || typeof value !== 'number' || value <= timeMaxMs) continue;
    throw new ExitError(exitCodes.configuration, `MONGODB_URL: ${name} is ${value}; allowed: at most ${timeMaxMs}`);
  }
}

/** With a direct connection, the client stays with its member when another one becomes the primary. */
function requireWholeSet({ options }: MongoClient, { setName }: Document): void {
  if (!options.directConnection || setName === undefined) return;
  throw new ExitError(
    exitCodes.configuration,
    `MONGODB_URL: directConnection=true connects to one member of the replica set ${setName}, also when it is not the primary; leave it out`,
  );
}

/** Node ignores such a file if it holds no certificate, and then trusts no server. */
function requireCertificate(path: string | undefined): void {
  if (path === undefined || isPemFile(path)) return;
  throw new ExitError(exitCodes.configuration, `MONGODB_URL: ${path} is no PEM file that this process can read`);
}

/**
 * The options that every invariant of the service depends on. They are set on the database: on the client, some options
 * of the connection string (`readConcernLevel`, `journal`) override those given in code.
 */
const databaseOptions: DbOptions = {
  readPreference: pinned.readPreference,
  readConcern: new ReadConcern(pinned.readConcernLevel),
  writeConcern: { w: pinned.w, journal: pinned.journal, wtimeoutMS: pinned.wtimeoutMS },
};

const clientOptions: MongoClientOptions = {
  appName: 'widget-service',
  readPreference: pinned.readPreference,
  serverSelectionTimeoutMS: pinned.serverSelectionTimeoutMS,
  connectTimeoutMS: pinned.connectTimeoutMS,
  waitQueueTimeoutMS: pinned.waitQueueTimeoutMS,
  maxPoolSize: 50,
  // The driver does not retry writes on a server that is no replica set.
  retryWrites: true,
  retryReads: pinned.retryReads,
  // Omits undefined members instead of storing null.
  ignoreUndefined: true,
  promoteLongs: true,
  promoteValues: true,
};

/**
 * Makes a client and its database without connecting. Throws an `ExitError` (configuration) for a malformed
 * `MONGODB_URL`.
 * @internal Exported for its test.
 */
export function createMongoDatabase(options: Omit<MongoOptions, 'startTimeoutMs'>): { client: MongoClient; db: Db } {
  const ours = { ...clientOptions, socketTimeoutMS: options.socketTimeoutMs ?? pinned.socketTimeoutMS };
  // `parseSettings` has made sure that a cluster has it.
  const url = options.MONGODB_URL ?? '';
  requireUsableOptions(url, ours);
  const client = createClient(url, withoutReplaced(url, ours));
  return { client, db: client.db(findDatabaseName(url), databaseOptions) };
}

/**
 * Connects, and retries until `startTimeoutMs` have passed. Then throws `MongoUnreachableError`. Throws an `ExitError`
 * (configuration) for a malformed `MONGODB_URL`, for files that it names and that cannot be used, and for credentials
 * that MongoDB does not accept.
 */
export async function openMongo(options: MongoOptions): Promise<MongoConnection> {
  const { client, db } = createMongoDatabase(options);
  requireShortTimes(client.options);
  requireCertificate(client.options.tlsCAFile);
  requireCertificate(client.options.tlsCRLFile);
  const { startTimeoutMs = startTimeoutDefaultMs } = options;
  const end = performance.now() + startTimeoutMs;
  for (let failures = 0; ; ) {
    try {
      await client.connect();
      requireWholeSet(client, await withDeadline(db.command({ hello: 1 }), 2000, 'MongoDB, hello'));
      return watchConnection(client, db, options);
    } catch (error) {
      if (error instanceof ExitError || isRefusedSetting(error)) {
        await closeClient(client);
        throw error instanceof ExitError ? error : new MongoRefusalError(error);
      }
      failures += 1;
      const pauseMs = backoffMs(failures, { firstMs: 100, maxMs: 2000 });
      if (performance.now() + pauseMs >= end) {
        await closeClient(client);
        throw new MongoUnreachableError(
          `MongoDB did not answer within ${startTimeoutMs} ms (${describeFailure(error)}). Check MONGODB_URL and MongoDB.`,
          error,
        );
      }
      await delay(pauseMs);
    }
  }
}

/** Warns of options in the connection string that have no effect. */
export function warnOfIgnoredOptions({ MONGODB_URL, onWarning }: MongoOptions): void {
  const ignored = listIgnoredOptions(MONGODB_URL ?? '');
  if (ignored.length === 0) return;
  onWarning?.(`MONGODB_URL: the service sets these options itself, and ignores yours: ${ignored.join(', ')}`);
}

/** What the network or MongoDB said last: an address with a port, and no part of the credentials. */
function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const message = error instanceof MongoServerSelectionError ? describeSelectionError(error) : error.message;
  return describeConnectionError({ message });
}

function watchConnection(client: MongoClient, db: Db, { onWarning, onFatal }: MongoOptions): MongoConnection {
  const warn = (address: string, reason: string) =>
    onWarning?.('mongodb client is stuck; reconnecting', { address, reason });
  const stopWatch = reconnectStuckClient(client, warn, (error) => onFatal?.(error));
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
