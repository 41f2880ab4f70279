import { setTimeout as delay } from 'node:timers/promises';

/** Makes calls at a fixed rate, whether or not earlier calls have ended, as independent senders do (an open loop). */
export interface Pace {
  start(): void;
  /** Makes no more calls. Resolves when every call has ended. */
  stop(): Promise<void>;
}

const tickMs = 20;
/** After this process was blocked, it makes up at most this much time, to avoid a burst of calls. */
const catchUpMaxMs = 500;

/** Creates a stopped pace. `call` gets the index of the call, from 0, and must not reject. */
export function createPace(perSecond: number, call: (index: number) => Promise<void>): Pace {
  const running = new Set<Promise<void>>();
  let index = 0;
  let timer: NodeJS.Timeout | undefined;
  let callsDue = 0;
  let lastAtMs = 0;
  const startCall = () => {
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
        callsDue += (Math.min(nowMs - lastAtMs, catchUpMaxMs) * perSecond) / 1_000;
        lastAtMs = nowMs;
        for (; callsDue >= 1; callsDue -= 1) startCall();
      }, tickMs);
    },
    stop: async () => {
      clearInterval(timer);
      timer = undefined;
      // A call that ends may have started another one just before.
      while (running.size > 0) await Promise.race([Promise.all(running), delay(100)]);
    },
  };
}
