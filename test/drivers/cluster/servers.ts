import type { Redis } from 'ioredis';

/** Returns the URL of a server that the tests of the cluster need. Throws an `Error` if the environment has none. */
export function requireServerUrl(name: 'MONGODB_URL' | 'REDIS_URL'): string {
  const url = process.env[name];
  if (url === undefined || url === '') {
    throw new Error(`${name} is not set. Tests of the cluster need the address of a real server.`);
  }
  return url;
}

/** Returns the URL of a database in MongoDB: at the server of the environment, or at another one. */
export function mongodbUrlOf(database: string, server = requireServerUrl('MONGODB_URL')): string {
  return server.replace(/^(mongodb(?:\+srv)?:\/\/[^/?]+)[^?]*/, `$1/${database}`);
}

/** Removes the keys that match a pattern. */
export async function removeKeys(redis: Redis, pattern: string): Promise<void> {
  const keys = await listKeys(redis, pattern);
  for (let at = 0; at < keys.length; at += 1_000) await redis.unlink(keys.slice(at, at + 1_000));
}

/** Lists the keys that match a pattern. */
export async function listKeys(redis: Redis, pattern: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const page of redis.scanStream({ match: pattern, count: 1_000 })) keys.push(...(page as string[]));
  return keys;
}
