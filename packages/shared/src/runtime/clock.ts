import { setTimeout as delay } from 'node:timers/promises';

/** The source of time. Use cases and tasks get it as a parameter, so that tests can control it. */
export interface Clock {
  now(): Date;
  /** Milliseconds on a monotonic clock: nobody can set it, and it never goes back. */
  monotonicMs(): number;
  /** Resolves after `ms`, or as soon as `signal` is aborted. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
  sleep: async (ms, signal) => {
    await delay(ms, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
  },
};
