import { timingSafeEqual } from 'node:crypto';

/** Whether two byte strings are equal. Its duration does not reveal how many bytes match. It may reveal the length. */
export function isEqualInConstantTime(given: Buffer, expected: Buffer): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected);
}
