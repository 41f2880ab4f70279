/** A callback that runs at its time unless it is cancelled. */
export interface ScheduledCallback {
  readonly atMs: number;
  readonly order: number;
  readonly run: () => void;
  isCancelled: boolean;
}

/**
 * Virtual time. Runs one callback at a time, in the order of their times. Before the next callback it waits until no
 * promise that the callback set off has anything left to do.
 */
export class Scheduler {
  readonly #heap: ScheduledCallback[] = [];
  #nowMs = 0;
  #count = 0;
  /** Called after each callback, when no promise has anything left to do. */
  onCallbackDone: (nowMs: number) => void = () => undefined;

  /** Milliseconds since the start. */
  get nowMs(): number {
    return this.#nowMs;
  }

  after(delayMs: number, run: () => void): ScheduledCallback {
    this.#count += 1;
    const scheduled = { atMs: this.#nowMs + Math.max(0, delayMs), order: this.#count, run, isCancelled: false };
    this.#push(scheduled);
    return scheduled;
  }

  /** Runs callbacks until none is left, or until `isDone` returns true. It asks before each callback. */
  async run(isOver: () => boolean): Promise<void> {
    // From here on everything runs from the microtask queue.
    await Promise.resolve();
    await drainMicrotasks();
    while (!isOver()) {
      const next = this.#pop();
      if (next === undefined) return;
      if (next.isCancelled) continue;
      this.#nowMs = next.atMs;
      next.run();
      await drainMicrotasks();
      this.onCallbackDone(this.#nowMs);
    }
  }

  #push(scheduled: ScheduledCallback): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(scheduled);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent] as ScheduledCallback;
      if (!isBefore(scheduled, above)) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = scheduled;
  }

  #pop(): ScheduledCallback | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (last === undefined || first === last) return first;
    let at = 0;
    for (let child = 1; child < heap.length; child = 2 * at + 1) {
      const right = heap[child + 1];
      if (right !== undefined && isBefore(right, heap[child] as ScheduledCallback)) child += 1;
      const below = heap[child] as ScheduledCallback;
      if (!isBefore(below, last)) break;
      heap[at] = below;
      at = child;
    }
    heap[at] = last;
    return first;
  }
}

function isBefore(a: ScheduledCallback, b: ScheduledCallback): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}

/**
 * Call this from a microtask. Resolves when no promise has anything left to do: Node runs the next-tick queue once the
 * microtask queue is empty. So nothing else of this real process, which runs in later event-loop turns, comes in
 * between.
 */
function drainMicrotasks(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
