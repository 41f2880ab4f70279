import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import type { ControlEntry, ControlLog, ControlTail } from '@widget-service/shared/ports/control-log.ts';
import { Notifier } from './notifier.ts';

/** How long `ControlTail.next` waits for an entry. */
const tailWaitMs = 500;
/** How many unread entries a tail keeps. Later entries are dropped, and the next read reports `mayHaveMissed`. */
const maxUnread = 10_000;

/**
 * A control log in memory. This process is the only pod, and what it has cached of grants and sessions ends with it. So
 * no entry needs to outlive the process.
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

  /** Closes the tails that are still open. */
  async close(): Promise<void> {
    for (const tail of [...this.#tails]) await tail.close();
  }
}

class InProcessControlTail implements ControlTail {
  readonly #pushed = new Notifier();
  readonly #closing = new AbortController();
  readonly #onClose: () => void;
  #unread: ControlEntry[] = [];
  /** True at first, as the port says. */
  #mayHaveMissed = true;

  constructor(onClose: () => void) {
    this.#onClose = onClose;
  }

  push(entry: ControlEntry): void {
    if (this.#unread.length < maxUnread) this.#unread.push(entry);
    else this.#mayHaveMissed = true;
    this.#pushed.notify();
  }

  async next(): Promise<{ entries: readonly ControlEntry[]; mayHaveMissed: boolean }> {
    const { signal } = this.#closing;
    if (this.#unread.length === 0 && !this.#mayHaveMissed) await this.#pushed.wait(tailWaitMs, signal);
    if (signal.aborted) throw new UnavailableError('control tail: closed');
    const result = { entries: this.#unread, mayHaveMissed: this.#mayHaveMissed };
    this.#unread = [];
    this.#mayHaveMissed = false;
    return result;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#onClose();
  }
}
