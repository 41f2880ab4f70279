import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import type { ControlEntry, ControlLog, ControlTail } from '@widget-service/shared/ports/control-log.ts';
import { Notifier } from './notifier.ts';

const waitMs = 500;
/** What a tail keeps for a reader that does not come; one that comes later has missed something. */
const maxWaiting = 10_000;

/**
 * The embedded service is one process, and what it remembers of rights ends with it: announcements need no file.
 */
export class InProcessControlLog implements ControlLog {
  readonly #tails = new Set<InProcessControlTail>();

  async announce(entry: ControlEntry): Promise<void> {
    for (const tail of this.#tails) tail.push(entry);
  }

  openTail(): ControlTail {
    const tail = new InProcessControlTail(() => this.#tails.delete(tail));
    this.#tails.add(tail);
    return tail;
  }

  /** Ends tails that were left open. */
  async close(): Promise<void> {
    for (const tail of [...this.#tails]) await tail.close();
  }
}

class InProcessControlTail implements ControlTail {
  readonly #bell = new Notifier();
  readonly #closing = new AbortController();
  readonly #onClose: () => void;
  #waiting: ControlEntry[] = [];
  #mayHaveMissed = true;

  constructor(onClose: () => void) {
    this.#onClose = onClose;
  }

  push(entry: ControlEntry): void {
    if (this.#waiting.length < maxWaiting) this.#waiting.push(entry);
    else this.#mayHaveMissed = true;
    this.#bell.notify();
  }

  async next(): Promise<{ entries: readonly ControlEntry[]; mayHaveMissed: boolean }> {
    const { signal } = this.#closing;
    if (this.#waiting.length === 0 && !this.#mayHaveMissed) await this.#bell.wait(waitMs, signal);
    if (signal.aborted) throw new UnavailableError('control tail: closed');
    const told = { entries: this.#waiting, mayHaveMissed: this.#mayHaveMissed };
    this.#waiting = [];
    this.#mayHaveMissed = false;
    return told;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#onClose();
  }
}
