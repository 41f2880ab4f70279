import type { DedupeMark, EventRetention, LogRecord } from '@widget-service/shared/ports/event-log.ts';
import type { ComparablePosition } from '@widget-service/shared/ports/run-registry.ts';
import { copyStream, createEventStream, type EventStream, trim } from './event-stream.ts';
import { copyQueue, createJobQueue, type JobQueue } from './job-queue.ts';
import { Notifier } from './link.ts';

/** Everything that Redis holds at one moment. */
export interface MemoryState {
  readonly stream: EventStream;
  readonly queue: JobQueue;
}

export interface MemoryServerOptions {
  readonly partitions: number;
  readonly retention: EventRetention;
  readonly runAgeMaxMs?: number;
  /** The server's calendar time, in milliseconds since the Unix epoch. */
  readonly nowMs: () => number;
}

/** Stands for Redis: it may lose its newest writes, be restored from an older copy, or be emptied. */
export class MemoryServer {
  readonly appended = new Notifier();
  readonly enqueued = new Notifier();
  readonly options: MemoryServerOptions;
  state: MemoryState;
  /** Called for all events that are appended, and for all that retention drops. */
  onAppend: (records: readonly LogRecord[]) => void = () => undefined;
  onTrim: (records: readonly LogRecord[]) => void = () => undefined;
  /** Called when the event log or its marks have changed. */
  onChange: () => void = () => undefined;
  /** Called for the dedupe marks that will expire from now on. */
  onExpireMarks: (marks: readonly DedupeMark[]) => void = () => undefined;

  constructor(options: MemoryServerOptions) {
    this.options = options;
    this.state = this.createEmptyState();
  }

  get nowMs(): number {
    return this.options.nowMs();
  }

  createEmptyState(): MemoryState {
    return { stream: createEventStream(), queue: createJobQueue(this.options.partitions) };
  }

  copyState(): MemoryState {
    return { stream: copyStream(this.state.stream), queue: copyQueue(this.state.queue) };
  }

  trim(recorded: ComparablePosition | null, retention: Partial<EventRetention> = {}): void {
    this.onTrim(trim(this.state.stream, this.nowMs, { ...this.options.retention, ...retention }, recorded));
    this.onChange();
  }
}

/** The deadline of a command. */
export const commandDeadlineMs = 2_000;
