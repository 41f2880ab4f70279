import { wait } from '../delays.ts';

/** A switch between running and paused. It runs at first. */
export class Pauses {
  #paused = new AbortController();
  #resumed = new AbortController();

  constructor() {
    this.#resumed.abort();
  }

  /** Aborted from `pause` on. After `resume` there is a new signal. */
  get signal(): AbortSignal {
    return this.#paused.signal;
  }

  pause(): void {
    if (this.#paused.signal.aborted) return;
    this.#resumed = new AbortController();
    this.#paused.abort();
  }

  resume(): void {
    if (!this.#paused.signal.aborted) return;
    this.#paused = new AbortController();
    this.#resumed.abort();
  }

  /** Resolves while it runs: to true if this took longer than `longMs`. Rejects with the signal's reason. */
  async waitWhilePaused(longMs: number, signal: AbortSignal): Promise<boolean> {
    const ended = AbortSignal.any([signal, this.#resumed.signal]);
    const isLong = await wait(longMs, ended).then(
      () => true,
      () => false,
    );
    if (!ended.aborted) await new Promise((resolve) => ended.addEventListener('abort', resolve, { once: true }));
    signal.throwIfAborted();
    return isLong;
  }
}
