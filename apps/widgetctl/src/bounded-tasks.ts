/** Runs tasks at the same time, but never more than `limit`. */
export class BoundedTasks {
  readonly #limit: number;
  #running = 0;
  #wake: () => void = () => undefined;
  #failure: { readonly error: unknown } | null = null;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Resolves when the task has begun. Rejects with the error of a task that has failed before. */
  async start(task: () => Promise<void>): Promise<void> {
    await this.#waitUntil(() => this.#running < this.#limit);
    this.#running += 1;
    void task()
      .catch((error) => {
        this.#failure ??= { error };
      })
      .finally(() => {
        this.#running -= 1;
        this.#wake();
      });
  }

  /** Resolves when all tasks have ended. Rejects with the error of the first that has failed. */
  idle(): Promise<void> {
    return this.#waitUntil(() => this.#running === 0);
  }

  async #waitUntil(isReached: () => boolean): Promise<void> {
    while (this.#failure === null && !isReached()) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.#failure !== null) throw this.#failure.error;
  }
}
