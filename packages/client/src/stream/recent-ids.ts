/** Remembers the last ids that it saw, so that a repeated event is noticed. */
export class RecentIds {
  readonly #capacity: number;
  readonly #ids = new Set<string>();

  /** @param capacity How many ids it keeps. With 0 it notices no repetition. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Returns false if the id is among those that it remembers; else remembers it, in place of the oldest. */
  add(id: string): boolean {
    if (this.#ids.has(id)) return false;
    this.#ids.add(id);
    if (this.#ids.size > this.#capacity) {
      // A Set keeps the order of insertion, so its first id is the oldest.
      for (const oldest of this.#ids) {
        this.#ids.delete(oldest);
        break;
      }
    }
    return true;
  }

  /** Forgets all ids. */
  clear(): void {
    this.#ids.clear();
  }
}
