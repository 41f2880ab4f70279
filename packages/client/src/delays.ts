import { InvalidCallError } from './requests/failures.ts';

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

/** Waits this many milliseconds. Rejects with the signal's reason if the signal is aborted before that. */
export function wait(durationMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    }, durationMs);
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

/**
 * Reads `Retry-After` (RFC 9110), in milliseconds, an hour at most. It is a number of seconds, or a date. Returns 0 if
 * there is none.
 */
export function readRetryAfterMs(headers: Headers, nowMs: number = Date.now()): number {
  const text = headers.get('retry-after');
  if (text === null) return 0;
  return capForeignDelay(/^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - nowMs);
}

/** The longest time that a client waits because it could not open the stream, unless the service asks for more. */
const maxBackoffMs = 30_000;

/**
 * How long to wait before the next connection, in milliseconds.
 *
 * After a connection that was open, this is the `retry:` of the service, which is random already. After `failures`
 * attempts in a row that did not open, the time doubles with each, up to 30 s, and is random between half of that and
 * all of it: a crowd of clients must not come back at the same instant. It is never less than `retryAfterMs`, which the
 * service or a proxy asked for. Neither of both counts for more than an hour.
 */
export function computeReconnectDelayMs({
  retryMs,
  failures,
  retryAfterMs = 0,
  random = Math.random,
}: {
  readonly retryMs: number;
  readonly failures: number;
  readonly retryAfterMs?: number;
  readonly random?: () => number;
}): number {
  // Caps it again, because a transport of the caller may return anything.
  const askedMs = capForeignDelay(retryAfterMs);
  if (failures === 0) return Math.max(capForeignDelay(retryMs), askedMs);
  // The exponent is bounded, so that the result stays a number.
  const backoffMs = Math.min(maxBackoffMs, capForeignDelay(retryMs) * 2 ** Math.min(failures - 1, 20));
  return Math.max(askedMs, backoffMs * (0.5 + random() / 2));
}
