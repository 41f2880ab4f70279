import { InvalidCallError } from './requests/invalid-call-error.ts';

/** What a timer can hold, in milliseconds: 24.8 days. A timer with more than this fires at once. */
const maxTimerMs = 2_147_483_647;

/** The longest pause that anybody else may ask for, with `Retry-After` or `retry:`. Then it is time to ask again. */
export const maxForeignDelayMs = 3_600_000;

/** The shortest pause between two connections of a stream, whatever `retry:` says. */
const minRetryMs = 100;

/** The `retry:` of a stream, within reason. */
export function limitRetry(retryMs: number): number {
  return Math.max(minRetryMs, capForeignDelay(retryMs));
}

/** Caps a duration that a service or a proxy has named. Everything that is no number counts as 0. */
export function capForeignDelay(delayMs: number): number {
  return delayMs > 0 ? Math.min(delayMs, maxForeignDelayMs) : 0;
}

/**
 * Returns the duration that a caller has set, in milliseconds.
 *
 * @throws {InvalidCallError} if no timer can hold it.
 */
export function checkDuration(name: string, durationMs: number): number {
  // Some timers take whole numbers only.
  if (durationMs > 0 && durationMs <= maxTimerMs) return Math.ceil(durationMs);
  throw new InvalidCallError(`${name} is ${durationMs}, but must be between 1 and ${maxTimerMs} milliseconds`);
}

/**
 * Returns the number that a caller has set. `Infinity` is allowed.
 *
 * @throws {InvalidCallError} if it is less than `min`, or no number.
 */
export function checkCount(name: string, count: number, min: number): number {
  if (count >= min) return count;
  throw new InvalidCallError(`${name} is ${count}, but must be a number from ${min}`);
}
