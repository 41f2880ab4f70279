import { setImmediate as nextTurn } from 'node:timers/promises';

/** Notifies a server's blocked calls that something new has arrived. */
export class Notifier {
  readonly #listeners = new Set<() => void>();

  notify(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  subscribe(listener: () => void): void {
    this.#listeners.add(listener);
  }

  unsubscribe(listener: () => void): void {
    this.#listeners.delete(listener);
  }
}

/** Sends one command and returns its reply. `onServer` runs on the server, atomically, or not at all. */
export type Send = <T>(onServer: () => T) => Promise<T>;

export interface BlockOptions {
  /** How long the server holds the call at most. */
  readonly blockMs: number;
  readonly deadlineMs: number;
  /** Notifies when it is worth polling again. */
  readonly notifier: Notifier;
  readonly signal?: AbortSignal;
}

/** The connection between a process and a server. Every call of a port uses it. */
export interface Link {
  /** A call of one or several round trips. Throws `UnavailableError` after `deadlineMs`. */
  call<T>(name: string, deadlineMs: number, work: (send: Send) => Promise<T>): Promise<T>;
  /** A call that the server holds until `poll` returns a result. Null if none came in time. */
  block<T>(name: string, options: BlockOptions, poll: () => T | null): Promise<T | null>;
}

/** For suites that run in real time: only an event-loop turn passes, as with every real server. */
export function createDirectLink(): Link {
  const send: Send = async (onServer) => {
    await nextTurn();
    return onServer();
  };
  return {
    call: (_name, _deadlineMs, work) => work(send),
    block: async (_name, { blockMs, notifier, signal }, poll) => {
      await nextTurn();
      const endAtMs = performance.now() + blockMs;
      while (!signal?.aborted) {
        const result = poll();
        const remainingMs = endAtMs - performance.now();
        if (result !== null || remainingMs <= 0) return result;
        await new Promise<void>((resolve) => {
          const wake = () => {
            clearTimeout(timer);
            notifier.unsubscribe(wake);
            signal?.removeEventListener('abort', wake);
            resolve();
          };
          const timer = setTimeout(wake, remainingMs);
          notifier.subscribe(wake);
          signal?.addEventListener('abort', wake);
        });
      }
      return null;
    },
  };
}
