import { copyStream, createEventStream, type EventStream } from './event-stream.ts';
import { Notifier } from './link.ts';

/** What a replica has received. */
export interface ReplicatedLog {
  readonly stream: EventStream;
  /** How many events the history had then, and how often the primary had lost some. */
  readonly logLength: number;
  readonly lossCount: number;
}

/** A replica of the event log: it has what the primary had a moment ago, or what a lost primary had. */
export class MemoryReplica {
  readonly appended = new Notifier();
  #log: ReplicatedLog = { stream: createEventStream(), logLength: 0, lossCount: 0 };
  #version = 0;
  #isDetached = false;
  #isAbandoned = false;

  get log(): ReplicatedLog {
    return this.#log;
  }

  /** Messages may overtake each other: an older one changes nothing. */
  receive(version: number, log: ReplicatedLog): void {
    if (this.#isDetached || this.#isAbandoned || version <= this.#version) return;
    this.#version = version;
    this.#log = { ...log, stream: copyStream(log.stream) };
    this.appended.notify();
  }

  /** From now on it keeps what it has. */
  detach(): void {
    this.#isDetached = true;
  }

  /** The same, for good. */
  abandon(): void {
    this.#isAbandoned = true;
  }

  /** It receives again. The caller sends it everything that the primary has. */
  attach(): void {
    this.#isDetached = false;
  }
}
