import { Redis } from 'ioredis';
import { inject } from 'vitest';
import { readShippedUser, shippedPassword } from '../../faults/shipped-acl.ts';
import { requireServerUrl } from './servers.ts';

/** A Redis of a project's tests. */
export interface TestRedis {
  /** For what only a test does: to read and to damage what the service stored. */
  readonly operatorUrl: string;
  /** How the service reaches it, if not as the operator does: with certificates, and a user for each key prefix. */
  readonly guard?: { readonly tlsUrl: string; readonly tls: Readonly<Record<string, string>> };
}

declare module 'vitest' {
  interface ProvidedContext {
    /** The Redis of the queue, in the projects that have one of their own. The default is REDIS_URL. */
    queueRedis?: TestRedis;
    /** The Redis of the event log and the control log, in the projects that have one apart from the queue's. */
    eventsRedis?: TestRedis;
  }
}

/** Returns the Redis of the queue. */
export function findQueueRedis(): TestRedis {
  return inject('queueRedis') ?? { operatorUrl: requireServerUrl('REDIS_URL') };
}

/** Returns the Redis of the event log and the control log: by default that of the queue. */
export function findEventsRedis(): TestRedis {
  return inject('eventsRedis') ?? findQueueRedis();
}

/** Returns the URL with which a service with this prefix reaches a Redis. For a guarded one it creates the user. */
export async function grantAccess({ operatorUrl, guard }: TestRedis, keyPrefix: string): Promise<string> {
  if (guard === undefined) return operatorUrl;
  const { rules } = readShippedUser(keyPrefix);
  await callAsOperator(operatorUrl, ['ACL', 'SETUSER', keyPrefix, ...rules]);
  const url = new URL(guard.tlsUrl);
  Object.assign(url, { username: keyPrefix, password: shippedPassword });
  return url.href;
}

/** Removes the user that `grantAccess` created. Rejects if Redis has refused anything to it. */
export async function revokeAccess({ operatorUrl, guard }: TestRedis, keyPrefix: string): Promise<void> {
  if (guard === undefined) return;
  const refusals = (await callAsOperator(operatorUrl, ['ACL', 'LOG', '1000'])) as unknown[][];
  await callAsOperator(operatorUrl, ['ACL', 'DELUSER', keyPrefix]);
  const own = refusals.map((refusal) => refusal.map(String)).filter((refusal) => refusal.includes(keyPrefix));
  if (own.length > 0) throw new Error(`deploy/redis/users.acl does not suffice: ${JSON.stringify(own)}`);
}

async function callAsOperator(url: string, [command = '', ...args]: readonly string[]): Promise<unknown> {
  const redis = new Redis(url, { protocol: 2 });
  try {
    return await redis.call(command, ...args);
  } finally {
    redis.disconnect();
  }
}
