/** Tells a server's waiting calls that something has come. */
export class Bell {
  readonly #listeners = new Set<() => void>();

  ring(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  onRing(listener: () => void): void {
    this.#listeners.add(listener);
  }

  forget(listener: () => void): void {
    this.#listeners.delete(listener);
  }
}
