import { crc32 } from 'node:zlib';

/** The partition of a key: the same for the same key and count on every pod. */
export function partitionOf(key: string, partitionCount: number): number {
  return crc32(key) % partitionCount;
}
