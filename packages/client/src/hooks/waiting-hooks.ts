/** What the order of hooks depends on. */
interface HookOfWidget {
  readonly widgetId: string | null;
}

/**
 * Hooks that wait to be sent. Those of one widget are given out one after the other: the next one only after the one
 * before was released. Each operation takes the same time, however many hooks wait.
 */
export class WaitingHooks<Hook extends HookOfWidget> {
  /** Hooks that may be sent at once. */
  readonly #ready = new Fifo<Hook>();
  /** For each widget with a hook that is ready or given out: those that come after it. */
  readonly #later = new Map<string, Fifo<Hook>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  push(hook: Hook): void {
    this.#size += 1;
    const { widgetId } = hook;
    const later = widgetId === null ? undefined : this.#later.get(widgetId);
    if (later !== undefined) {
      later.push(hook);
      return;
    }
    if (widgetId !== null) this.#later.set(widgetId, new Fifo());
    this.#ready.push(hook);
  }

  /** Gives out the next hook, or undefined if none may be sent now. */
  take(): Hook | undefined {
    const hook = this.#ready.shift();
    if (hook !== undefined) this.#size -= 1;
    return hook;
  }

  /** The hook was sent: the next one of its widget may be. */
  release({ widgetId }: Hook): void {
    if (widgetId === null) return;
    const next = this.#later.get(widgetId)?.shift();
    if (next === undefined) this.#later.delete(widgetId);
    else this.#ready.push(next);
  }

  /** Removes all hooks that wait and returns them. */
  clear(): Hook[] {
    this.#size = 0;
    return [this.#ready, ...this.#later.values()].flatMap((hooks) => hooks.clear());
  }
}

/** A queue. Unlike with an array, `shift` takes the same time however long it is. */
class Fifo<Item> {
  #items: Item[] = [];
  #head = 0;

  get size(): number {
    return this.#items.length - this.#head;
  }

  push(item: Item): void {
    this.#items.push(item);
  }

  /** Removes the first item and returns it. Undefined if there is none. */
  shift(): Item | undefined {
    const item = this.#items[this.#head];
    if (item === undefined) return undefined;
    this.#head += 1;
    // Drops what was taken when that is the larger half: each item is moved once on average.
    if (this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }

  /** Removes all items and returns them. */
  clear(): Item[] {
    const items = this.#items.slice(this.#head);
    this.#items = [];
    this.#head = 0;
    return items;
  }
}
