import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Bell } from './bell.ts';

/** One message to a server and its answer: `onServer` takes place there, at once or not at all. */
export type Ask = <T>(onServer: () => T) => Promise<T>;

export interface BlockOptions {
  /** How long the server holds the call at most. */
  readonly blockMs: number;
  readonly deadlineMs: number;
  /** Rung on the server when it is worth while to look again. */
  readonly bell: Bell;
  readonly signal?: AbortSignal;
}

/** What is between a process and a server: every call of a port is made over it. */
export interface Link {
  /** A call that makes one or several round trips, and is given up with `UnavailableError` after `deadlineMs`. */
  call<T>(name: string, deadlineMs: number, work: (ask: Ask) => Promise<T>): Promise<T>;
  /** A call that the server holds until `look` finds something there; null when that was not in time. */
  block<T>(name: string, options: BlockOptions, look: () => T | null): Promise<T | null>;
}

/** For suites that run in real time: nothing is in between but a turn of the event loop, as with every real server. */
export function createDirectLink(): Link {
  const ask: Ask = async (onServer) => {
    await nextTurn();
    return onServer();
  };
  return {
    call: (_name, _deadlineMs, work) => work(ask),
    block: async (_name, { blockMs, bell, signal }, look) => {
      await nextTurn();
      const endAtMs = performance.now() + blockMs;
      while (!signal?.aborted) {
        const found = look();
        const restMs = endAtMs - performance.now();
        if (found !== null || restMs <= 0) return found;
        await new Promise<void>((resolve) => {
          const wake = () => {
            clearTimeout(timer);
            bell.forget(wake);
            signal?.removeEventListener('abort', wake);
            resolve();
          };
          const timer = setTimeout(wake, restMs);
          bell.onRing(wake);
          signal?.addEventListener('abort', wake);
        });
      }
      return null;
    },
  };
}
