import type { DedupeMark, EventRetention, LogRecord } from '@widget-service/shared/ports/event-log.ts';
import type { ComparablePosition } from '@widget-service/shared/ports/run-registry.ts';
import { Bell } from './bell.ts';
import { copyOfStream, type EventStream, emptyEventStream, trim } from './event-stream.ts';
import { copyOfQueue, emptyJobQueue, type JobQueue } from './job-queue.ts';

/** All that Redis holds at one moment. */
export interface MemoryState {
  readonly stream: EventStream;
  readonly queue: JobQueue;
}

export interface MemoryServerOptions {
  readonly partitions: number;
  readonly retention: EventRetention;
  readonly runAgeMaxMs?: number;
  /** The server's calendar, in milliseconds since the Unix epoch. */
  readonly nowMs: () => number;
}

/** What stands for Redis: it may lose its newest writes, or come back as it was long ago, or empty. */
export class MemoryServer {
  readonly appended = new Bell();
  readonly enqueued = new Bell();
  readonly options: MemoryServerOptions;
  state: MemoryState;
  /** Told of every entry that comes into the log, and that retention drops. */
  onAppend: (records: readonly LogRecord[]) => void = () => undefined;
  onTrim: (records: readonly LogRecord[]) => void = () => undefined;
  /** Told of the guards that are to expire from now on. */
  onSettle: (guards: readonly DedupeMark[]) => void = () => undefined;

  constructor(options: MemoryServerOptions) {
    this.options = options;
    this.state = this.empty();
  }

  get nowMs(): number {
    return this.options.nowMs();
  }

  empty(): MemoryState {
    return { stream: emptyEventStream(), queue: emptyJobQueue(this.options.partitions) };
  }

  copy(): MemoryState {
    return { stream: copyOfStream(this.state.stream), queue: copyOfQueue(this.state.queue) };
  }

  trim(recorded: ComparablePosition | null, retention: Partial<EventRetention> = {}): void {
    this.onTrim(trim(this.state.stream, this.nowMs, { ...this.options.retention, ...retention }, recorded));
  }
}

/** What a call may take. */
export const commandDeadlineMs = 2_000;
