import type { Chunk } from '../chunk.ts';
import type { Sink } from '../response-sink.ts';

/** A socket in memory, for tests: it takes what it is given at once, or only when it is told to. */
export interface FakeSink {
  readonly sink: Sink;
  /** Every buffer it was given, in order; without those that it was destroyed before it took. */
  readonly writes: Buffer[];
  readonly isEnded: boolean;
  text(): string;
  unsentBytes(): number;
  /** From now on takes nothing by itself. */
  pause(): void;
  resume(): void;
  /** Takes what it has been given. */
  drain(): void;
  /** The client goes away. */
  leave(): void;
  until(condition: () => boolean): Promise<void>;
}

export function openFakeSink(): FakeSink {
  const writes: Buffer[] = [];
  const drains: (() => void)[] = [];
  const closes: (() => void)[] = [];
  let given = 0;
  let unsent = 0;
  let taken = 0;
  let isPaused = false;
  let isEnded = false;
  const drain = () => {
    if (unsent === 0) return;
    unsent = 0;
    taken = writes.length;
    for (const listener of drains) listener();
  };
  const take = (bytes: Buffer) => {
    writes.push(bytes);
    given += bytes.length;
    if (isPaused) unsent += bytes.length;
    else taken = writes.length;
  };
  return {
    sink: {
      unsentBytes: () => unsent,
      sentBytes: () => given - unsent,
      write: (chunk: Chunk) => take(chunk.plain),
      onDrain: (listener) => void drains.push(listener),
      onClose: (listener) => void closes.push(listener),
      end: (last: Chunk) => {
        take(last.plain);
        isEnded = true;
      },
      destroy: () => {
        writes.length = taken;
        isEnded = true;
      },
    },
    writes,
    get isEnded() {
      return isEnded;
    },
    text: () => Buffer.concat(writes).toString(),
    unsentBytes: () => unsent,
    pause: () => {
      isPaused = true;
    },
    resume: () => {
      isPaused = false;
      drain();
    },
    drain,
    leave: () => {
      for (const listener of closes) listener();
    },
    until: async (condition) => {
      for (const deadlineMs = performance.now() + 5_000; !condition(); ) {
        if (performance.now() > deadlineMs) throw new Error('not within 5 s');
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
    },
  };
}

/** The numbers of the events a sink was given. */
export function eventsIn(sink: FakeSink): number[] {
  return numbersOf(sink, /^id: \w+\.\d+\.(\d+)\nevent: widget\./gm);
}

/** The numbers of the positions it was told without an event. */
export function positionsIn(sink: FakeSink): number[] {
  return numbersOf(sink, /^id: \w+\.\d+\.(\d+)\nevent: stream\.position\ndata: \{\}\n\n/gm);
}

/** Why the stream ended; null where it did not say so. */
export function closingReasonIn(sink: FakeSink): string | null {
  return /event: stream\.closing\ndata: \{"reason":"([a-z-]+)"\}\nretry: \d+\n\n$/.exec(sink.text())?.[1] ?? null;
}

function numbersOf(sink: FakeSink, pattern: RegExp): number[] {
  return [...sink.text().matchAll(pattern)].map((match) => Number(match[1]));
}
