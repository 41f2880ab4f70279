/** Something that will happen, unless it is called off. */
export interface Scheduled {
  readonly atMs: number;
  readonly order: number;
  readonly run: () => void;
  isCancelled: boolean;
}

/**
 * Virtual time, and what happens in it: one thing at a time, in the order of its time. A thing is over when all that it
 * set going in this turn, through however many promises, has come to rest.
 */
export class Scheduler {
  readonly #heap: Scheduled[] = [];
  #nowMs = 0;
  #count = 0;
  /** Told after each thing that has happened, when all has come to rest. */
  onTurnEnd: (nowMs: number) => void = () => undefined;

  /** Milliseconds since the beginning. */
  get nowMs(): number {
    return this.#nowMs;
  }

  after(delayMs: number, run: () => void): Scheduled {
    this.#count += 1;
    const scheduled = { atMs: this.#nowMs + Math.max(0, delayMs), order: this.#count, run, isCancelled: false };
    this.#push(scheduled);
    return scheduled;
  }

  /** Lets everything happen until `isOver` says so, is asked after each thing, or nothing is left. */
  async run(isOver: () => boolean): Promise<void> {
    // From here on everything comes out of the queue of microtasks.
    await Promise.resolve();
    await settled();
    while (!isOver()) {
      const next = this.#pop();
      if (next === undefined) return;
      if (next.isCancelled) continue;
      this.#nowMs = next.atMs;
      next.run();
      await settled();
      this.onTurnEnd(this.#nowMs);
    }
  }

  #push(scheduled: Scheduled): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(scheduled);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent] as Scheduled;
      if (!isBefore(scheduled, above)) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = scheduled;
  }

  #pop(): Scheduled | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (last === undefined || first === last) return first;
    let at = 0;
    for (let child = 1; child < heap.length; child = 2 * at + 1) {
      const right = heap[child + 1];
      if (right !== undefined && isBefore(right, heap[child] as Scheduled)) child += 1;
      const below = heap[child] as Scheduled;
      if (!isBefore(below, last)) break;
      heap[at] = below;
      at = child;
    }
    heap[at] = last;
    return first;
  }
}

function isBefore(a: Scheduled, b: Scheduled): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}

/**
 * To be called by a microtask. Resolves when no promise has anything left to do: Node takes the next tick's work once its queue of microtasks is
 * empty, and so nothing of the world outside, which comes in later turns, gets in between.
 */
function settled(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
