import type { Chunk, Sink } from '../chunk.ts';

/** A sink in memory, for tests. It accepts each write at once, or while paused only on `drain` and `resume`. */
export interface FakeSink {
  readonly sink: Sink;
  /** Every written buffer, in order. `destroy` removes the buffers that the sink had not accepted. */
  readonly writes: Buffer[];
  readonly isEnded: boolean;
  text(): string;
  unsentBytes(): number;
  /** Stops accepting writes. */
  pause(): void;
  /** Accepts the unsent buffers and every later write. */
  resume(): void;
  /** Accepts the unsent buffers once. */
  drain(): void;
  /** Closes the socket from the client's side. */
  leave(): void;
  /** Polls until the condition holds. Rejects after 5 s. */
  until(condition: () => boolean): Promise<void>;
}

/** Opens a sink that accepts every write at once. */
export function openFakeSink(): FakeSink {
  const writes: Buffer[] = [];
  const drains: (() => void)[] = [];
  const closes: (() => void)[] = [];
  let writtenBytes = 0;
  let unsentBytes = 0;
  let acceptedWrites = 0;
  let isPaused = false;
  let isEnded = false;
  const drain = () => {
    if (unsentBytes === 0) return;
    unsentBytes = 0;
    acceptedWrites = writes.length;
    for (const listener of drains) listener();
  };
  const write = (bytes: Buffer) => {
    writes.push(bytes);
    writtenBytes += bytes.length;
    if (isPaused) unsentBytes += bytes.length;
    else acceptedWrites = writes.length;
  };
  return {
    sink: {
      unsentBytes: () => unsentBytes,
      sentBytes: () => writtenBytes - unsentBytes,
      write: (chunk: Chunk) => write(chunk.plain),
      onDrain: (listener) => void drains.push(listener),
      onClose: (listener) => void closes.push(listener),
      end: (last: Chunk) => {
        write(last.plain);
        isEnded = true;
      },
      destroy: () => {
        writes.length = acceptedWrites;
        isEnded = true;
      },
    },
    writes,
    get isEnded() {
      return isEnded;
    },
    text: () => Buffer.concat(writes).toString(),
    unsentBytes: () => unsentBytes,
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
        if (performance.now() > deadlineMs) throw new Error('the condition did not hold within 5 s');
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
    },
  };
}

/** Returns the `seq` of each event in the sink's text, in order. */
export function parseEventSeqs(sink: FakeSink): number[] {
  return parseSeqs(sink, /^id: \w+\.\d+\.(\d+)\nevent: widget\./gm);
}

/** Returns the `seq` of each `stream.position` in the sink's text, in order. */
export function parsePositionSeqs(sink: FakeSink): number[] {
  return parseSeqs(sink, /^id: \w+\.\d+\.(\d+)\nevent: stream\.position\ndata: \{\}\n\n/gm);
}

/** Returns the reason of the final `stream.closing`; null if the text does not end with one. */
export function parseClosingReason(sink: FakeSink): string | null {
  return /event: stream\.closing\ndata: \{"reason":"([a-z-]+)"\}\nretry: \d+\n\n$/.exec(sink.text())?.[1] ?? null;
}

function parseSeqs(sink: FakeSink, pattern: RegExp): number[] {
  return [...sink.text().matchAll(pattern)].map((match) => Number(match[1]));
}
