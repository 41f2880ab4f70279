/** Wakes the waiters of this process when something happens. A notification without a waiter is lost. */
export class Notifier {
  readonly #waiters = new Set<() => void>();

  notify(): void {
    for (const wake of [...this.#waiters]) wake();
  }

  /** Resolves at the next notification, after `ms`, or when `signal` aborts. Never rejects. */
  wait(ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        this.#waiters.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      signal.addEventListener('abort', wake);
      this.#waiters.add(wake);
    });
  }
}
