import { constants, fstatSync, openSync, writeSync } from 'node:fs';
import process from 'node:process';
import { isatty } from 'node:tty';
import { format } from 'node:util';
import { escapeControlsInLines } from './printable-text.ts';

/** Text that waits for a reader slower than this process, in UTF-16 units. Above it, further lines are dropped. */
const waitingMax = 1_048_576;
/** Text of one write, in UTF-16 units. */
const writeMax = 65_536;
/** The pause before another attempt, if the reader accepts nothing. */
const retryMs = 20;
/** How long the end of the process waits for a reader that accepts nothing. */
const finalWriteMaxMs = 500;

/** Writes to a descriptor, and returns how many bytes it accepted. Throws the error of the system. */
type Write = (bytes: Uint8Array) => number;

/**
 * Writes lines without ever blocking or ending the process: to a full disk, a pipe that nobody reads, a closed pipe or
 * a stopped terminal. What cannot be written is dropped and counted.
 *
 * Lines of one turn of the event loop share a write. At most 1 MiB waits for a slow reader.
 */
export class LogOutput {
  readonly #write: Write;
  readonly #waiting: string[] = [];
  #waitingSize = 0;
  /** What is being written, if its reader has accepted only a part of it. */
  #bytes: Uint8Array = new Uint8Array();
  /** Ends of the lines in `#bytes`, as offsets in the whole chunk, of which `#accepted` bytes are written. */
  #lineEnds: number[] = [];
  #accepted = 0;
  #isScheduled = false;
  #dropped = 0;
  #announced = 0;
  /** Whether the last write succeeded. */
  #isAccepted = true;
  /** The last line was written in part, and its rest was dropped. */
  #isTorn = false;
  #onRecovery: (dropped: number) => void = () => undefined;

  constructor(write: Write) {
    this.#write = write;
  }

  /** Queues a text that ends with a line feed. */
  write(text: string): void {
    if (this.#waitingSize + text.length > waitingMax) {
      this.#dropped += 1;
      return;
    }
    this.#waiting.push(text);
    this.#waitingSize += text.length;
    this.#schedule(() => setImmediate(() => this.#continue()));
  }

  /** How many texts were dropped since the process started. */
  countDropped(): number {
    return this.#dropped;
  }

  /** Calls `listener` when lines can be written again after some were dropped, with the number of those. */
  onRecovery(listener: (dropped: number) => void): void {
    this.#onRecovery = listener;
  }

  /** Writes what waits, for at most 500 ms. For the end of the process. */
  finish(): void {
    const endMs = performance.now() + finalWriteMaxMs;
    while (!this.#writeWaiting() && performance.now() < endMs) sleepSync(retryMs);
  }

  #schedule(later: () => void): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    later();
  }

  #continue(): void {
    this.#isScheduled = false;
    if (!this.#writeWaiting()) {
      this.#schedule(() => setTimeout(() => this.#continue(), retryMs).unref());
    } else if (this.#dropped > this.#announced && this.#isAccepted) {
      const dropped = this.#dropped - this.#announced;
      this.#announced = this.#dropped;
      this.#onRecovery(dropped);
    }
  }

  /** Returns false if the reader accepts no more now. */
  #writeWaiting(): boolean {
    while (this.#takeChunk()) {
      try {
        const count = this.#write(this.#bytes);
        this.#accepted += count;
        this.#bytes = this.#bytes.subarray(count);
        this.#isAccepted = true;
        this.#isTorn = false;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return false;
        this.#dropChunk();
      }
    }
    return true;
  }

  /** Makes the next chunk of what waits, unless one is in progress. Returns false if nothing waits. */
  #takeChunk(): boolean {
    if (this.#bytes.length > 0) return true;
    if (this.#waiting.length === 0) return false;
    // A line that was cut off must not swallow the next one.
    const parts: Buffer[] = this.#isTorn ? [Buffer.from('\n')] : [];
    let [count, units, end] = [0, 0, this.#isTorn ? 1 : 0];
    this.#lineEnds = [];
    for (const line of this.#waiting) {
      if (units > 0 && units + line.length > writeMax) break;
      const part = Buffer.from(line);
      parts.push(part);
      [count, units, end] = [count + 1, units + line.length, end + part.length];
      this.#lineEnds.push(end);
    }
    this.#waiting.splice(0, count);
    this.#waitingSize -= units;
    this.#bytes = Buffer.concat(parts);
    this.#accepted = 0;
    return true;
  }

  #dropChunk(): void {
    this.#dropped += this.#lineEnds.filter((end) => end > this.#accepted).length;
    this.#isTorn ||= this.#accepted > 0 && !this.#lineEnds.includes(this.#accepted);
    this.#isAccepted = false;
    this.#bytes = new Uint8Array();
  }
}

function sleepSync(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

const outputs = new Map<1 | 2, LogOutput>();

/** Returns the process's standard output (1) or standard error (2). Both write what waits when the process ends. */
export function getLogOutput(descriptor: 1 | 2): LogOutput {
  const known = outputs.get(descriptor);
  if (known !== undefined) return known;
  const target = openWithoutBlocking(descriptor);
  const output = new LogOutput((bytes) => writeSync(target, bytes));
  process.on('exit', () => output.finish());
  outputs.set(descriptor, output);
  return output;
}

/** How many lines of the standard output the process has dropped. */
export function countDroppedLines(): number {
  return outputs.get(1)?.countDropped() ?? 0;
}

/**
 * Returns a descriptor of the same file on which writes do not block. Pipes and terminals are opened again: the flag
 * belongs to the open file, which other processes may share. Writes to files do not wait for a reader.
 */
function openWithoutBlocking(descriptor: 1 | 2): number {
  if (fstatSync(descriptor).isFIFO() || isatty(descriptor)) {
    try {
      const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
      return openSync(`/proc/self/fd/${descriptor}`, O_WRONLY | O_NONBLOCK | O_NOCTTY);
    } catch {
      // Not Linux, no permission, or a pipe without a reader: every write to it fails.
    }
  }
  // Sockets cannot be opened again. Node makes them, and pipes, non-blocking when it creates its own stream.
  void (descriptor === 1 ? process.stdout : process.stderr);
  return descriptor;
}

/**
 * Prints a text for the person who started the process, on standard output (1) or standard error (2). A text may hold
 * foreign parts, such as the message of a store: its control characters are escaped, except line feeds. Like a log
 * line, it never blocks or ends the process. `text` ends with a line feed.
 */
export function printText(text: string, descriptor: 1 | 2 = 1): void {
  getLogOutput(descriptor).write(escapeControlsInLines(text));
}

const methods = ['debug', 'error', 'info', 'log', 'warn'] as const;
/** A text that names a moment or a number would otherwise be kept for ever, in each of its forms. */
const textsMax = 100;

/**
 * Sends what a library prints by `console` to the log, so that every line of the output is one of ours. Each text comes
 * once per process: ioredis prints one per connection.
 */
export function captureConsole(warn: (fields: object, text: string) => void): void {
  const seen = new Set<string>();
  for (const method of methods) {
    console[method] = (...values: unknown[]) => {
      const text = format(...values);
      if (seen.has(text) || seen.size >= textsMax) return;
      seen.add(text);
      warn({ method }, `console: ${text}`);
    };
  }
}
