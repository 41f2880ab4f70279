import { readFileSync } from 'node:fs';
import { ExitError, exitCodes } from '@widget-service/shared/runtime/exit-error.ts';
import type { MongoClientOptions } from 'mongodb';

/** Options of the connection string that replace ours. Their names there are not case-sensitive. */
const replaceable = ['retryWrites', 'maxPoolSize', 'appName'] as const;

/**
 * Options of the connection string that have no effect. The promise of the service, or its time-outs, depend on these
 * values.
 */
export const pinned = {
  readPreference: 'primary',
  readConcernLevel: 'majority',
  w: 'majority',
  journal: true,
  // How long the server waits for a majority before it frees the connection: just above the deadline of a request. It
  // must be below `socketTimeoutMS`, after which the driver would repeat the write. Runs have their own
  // (`run-calls.ts`).
  wtimeoutMS: 2000,
  retryReads: true,
  serverSelectionTimeoutMS: 1500,
  connectTimeoutMS: 5000,
  // Above every deadline, so that no caller still waits for a connection that is closed.
  socketTimeoutMS: 25_000,
  // How long a call waits for a free connection in a burst. Below the deadline of a call (2 s), so that the error names
  // the cause.
  waitQueueTimeoutMS: 1500,
} as const;

/** Other options without effect: other names of the above, tags of a pinned preference, and one that is obsolete. */
const ignored = ['j', 'wtimeout', 'readPreferenceTags', 'timeoutMS'] as const;

/**
 * Options of the connection string that stop the start: with them, documents have other types than the service expects,
 * or the driver refuses ours. Drivers of other languages do not know most of them.
 */
const refused = [
  'maxStalenessSeconds',
  'raw',
  'bsonRegExp',
  'promoteBuffers',
  'promoteLongs',
  'promoteValues',
  'ignoreUndefined',
  'serializeFunctions',
  'forceServerObjectId',
  'checkKeys',
  'fieldsAsRaw',
] as const;

/** Throws an `ExitError` (configuration) that names the options with which the service cannot run. */
export function requireUsableOptions(url: string, ours: Pick<MongoClientOptions, 'maxPoolSize'>): void {
  const given = readOptions(url);
  const names = refused.filter((name) => given.has(name.toLowerCase()));
  if (names.length > 0) throw refuse(`${names.join(', ')}: the service cannot run with it; leave it out`);
  const maxPoolSize = Number(given.get('maxpoolsize') ?? ours.maxPoolSize);
  // The driver reads 0 as no limit.
  if (maxPoolSize !== 0 && Number(given.get('minpoolsize') ?? 0) > maxPoolSize) {
    throw refuse(`minPoolSize is above maxPoolSize (${maxPoolSize}); set both, or leave minPoolSize out`);
  }
}

function refuse(text: string): ExitError {
  return new ExitError(exitCodes.configuration, `MONGODB_URL: ${text}`);
}

/** Returns our options without those that the connection string gives itself. */
export function withoutReplaced(url: string, options: MongoClientOptions): MongoClientOptions {
  const given = readOptions(url);
  const kept = Object.entries(options).filter(
    ([name]) => !(replaceable as readonly string[]).includes(name) || !given.has(name.toLowerCase()),
  );
  return Object.fromEntries(kept);
}

/** Returns the names of the options in the connection string that have no effect and differ from ours. */
export function listIgnoredOptions(url: string): string[] {
  const given = readOptions(url);
  const different = Object.entries(pinned).flatMap(([name, ours]) => {
    const value = given.get(name.toLowerCase());
    return value === undefined || value === `${ours}` ? [] : [name];
  });
  return [...different, ...ignored.filter((name) => given.has(name.toLowerCase()))];
}

/** By their names in lower case. */
function readOptions(url: string): Map<string, string> {
  const query = url.split('?')[1] ?? '';
  return new Map([...new URLSearchParams(query)].map(([name, value]) => [name.toLowerCase(), value]));
}

/** Whether this is a file that this process can read, with at least one block of PEM (RFC 7468). */
export function isPemFile(path: string): boolean {
  try {
    return readFileSync(path, 'utf8').includes('-----BEGIN ');
  } catch {
    return false;
  }
}
