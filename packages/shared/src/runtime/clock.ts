import { setTimeout as delay } from 'node:timers/promises';

/** Time as the service sees it; handed in, so that tests can drive it. */
export interface Clock {
  now(): Date;
  /** Milliseconds on a clock that nobody sets. */
  monotonicMs(): number;
  /** Resolves after `ms`, or at once when `signal` aborts: it never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
  sleep: async (ms, signal) => {
    await delay(ms, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
  },
};
