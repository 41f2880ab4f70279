import type { MongoClientOptions } from 'mongodb';

/** Options of the connection string that replace ours. Their names there are not case-sensitive. */
const replaceable = ['retryWrites', 'maxPoolSize', 'appName'] as const;

/**
 * Options of the connection string that have no effect, and the value that does no harm. The promise of the service, or
 * its time-outs, depend on ours. Null: every value has no effect.
 */
const pinned: Readonly<Record<string, string | null>> = {
  readPreference: 'primary',
  readConcernLevel: 'majority',
  w: 'majority',
  journal: 'true',
  serverSelectionTimeoutMS: null,
  connectTimeoutMS: null,
  socketTimeoutMS: null,
  waitQueueTimeoutMS: null,
};

/** Returns our options without those that the connection string gives itself. */
export function withoutReplaced(url: string, options: MongoClientOptions): MongoClientOptions {
  const given = readOptions(url);
  const kept = Object.entries(options).filter(
    ([name]) => !(replaceable as readonly string[]).includes(name) || !given.has(name.toLowerCase()),
  );
  return Object.fromEntries(kept);
}

/** Returns the names of the options in the connection string that have no effect. */
export function listIgnoredOptions(url: string): string[] {
  const given = readOptions(url);
  return Object.entries(pinned).flatMap(([name, harmless]) => {
    const value = given.get(name.toLowerCase());
    return value === undefined || value === harmless ? [] : [name];
  });
}

/** By their names in lower case. */
function readOptions(url: string): Map<string, string> {
  const query = url.split('?')[1] ?? '';
  return new Map([...new URLSearchParams(query)].map(([name, value]) => [name.toLowerCase(), value]));
}
