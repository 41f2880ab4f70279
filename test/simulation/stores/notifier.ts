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
