import { ReplyError } from 'ioredis';

/** The reply to a command that the ACL or the configuration of Redis forbids. Retrying does not help. */
const forbidden = /^(?:NOPERM|ERR unknown command)/;

/** Whether Redis forbids the command, which a managed Redis may do. */
export function isForbidden(error: unknown): error is Error {
  return error instanceof ReplyError && forbidden.test((error as Error).message);
}

/** Returns one field of the text of `INFO`; undefined if this Redis does not report it. */
export function parseInfoField(info: string, name: string): string | undefined {
  const line = info.split(/\r?\n/).find((text) => text.startsWith(`${name}:`));
  return line?.slice(name.length + 1);
}

/** Returns `maxmemory` in bytes, from the text of `INFO`: 0 if there is no limit, null if Redis does not report it. */
export function parseMaxMemoryBytes(info: string): number | null {
  const text = parseInfoField(info, 'maxmemory');
  return text === undefined ? null : Number(text);
}

/**
 * Returns the used share of `maxmemory`, where 1 is all of it. Null without a limit, or if Redis does not report it.
 */
export function computeMemoryUsedRatio(info: string): number | null {
  const maxBytes = parseMaxMemoryBytes(info);
  const usedBytes = parseInfoField(info, 'used_memory');
  return maxBytes !== null && maxBytes > 0 && usedBytes !== undefined ? Number(usedBytes) / maxBytes : null;
}

/**
 * Returns how many replicas are in sync, from the text of `INFO replication`. A client that only copies the data once,
 * such as `redis-cli --rdb`, does not count, because it confirms no offset.
 */
export function countReplicasInSync(info: string): number {
  return info.split(/\r?\n/).filter((line) => /^slave\d+:.*\bstate=online,offset=[1-9]/.test(line)).length;
}
