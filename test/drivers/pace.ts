import { setTimeout as delay } from 'node:timers/promises';

/** Calls something at a rate, whether or not earlier calls have ended: as many senders who know nothing of each other. */
export interface Pace {
  start(): void;
  /** Starts no more; resolves once every call has ended. */
  stop(): Promise<void>;
}

const tickMs = 20;
/** After a standstill of this process so much is caught up at most, so that it does not become a flood. */
const catchUpMaxMs = 500;

/** `call` gets the number of the call, from 0, and must not reject. */
export function createPace(perSecond: number, call: (index: number) => Promise<void>): Pace {
  const running = new Set<Promise<void>>();
  let index = 0;
  let timer: NodeJS.Timeout | undefined;
  let due = 0;
  let lastAtMs = 0;
  const begin = () => {
    const promise = call(index).finally(() => running.delete(promise));
    index += 1;
    running.add(promise);
  };
  return {
    start: () => {
      if (timer !== undefined || perSecond === 0) return;
      lastAtMs = performance.now();
      timer = setInterval(() => {
        const nowMs = performance.now();
        due += (Math.min(nowMs - lastAtMs, catchUpMaxMs) * perSecond) / 1_000;
        lastAtMs = nowMs;
        for (; due >= 1; due -= 1) begin();
      }, tickMs);
    },
    stop: async () => {
      clearInterval(timer);
      timer = undefined;
      // What has ended may have begun something else in its last moment.
      while (running.size > 0) await Promise.race([Promise.all(running), delay(100)]);
    },
  };
}
