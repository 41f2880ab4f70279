import type { Sink } from '@widget-service/api/streams/fan-out/chunk.ts';
import type { Frame } from '@widget-service/api/streams/fan-out/frame.ts';
import type { Ring } from '@widget-service/api/streams/fan-out/ring.ts';
import type { LogPosition } from '@widget-service/shared/domain/log-position.ts';
import { formatPosition, parsePosition } from '@widget-service/shared/domain/sse-id.ts';
import type { SimulatedProcess } from '../engine/simulated-process.ts';

/** A little longer than a pod may wait for a page of the log. */
const toleranceMs = 2_500;

/** A stream that has joined the hub of its pod. */
export interface WatchedStream {
  readonly sink: Sink;
  /** Call it when the pod has ended the stream. */
  forget(): void;
}

interface OpenStream {
  readonly sink: Sink;
  readonly epoch: string;
  /** How often the ring had been reset when the stream joined. */
  readonly resetCount: number;
  /** Null if a filter hides it. */
  position: LogPosition | null;
  /** Since when the stream is at the ring's end, but in another history. */
  divergedAtMs: number | null;
  /** True until the first check. */
  isJoining: boolean;
}

/**
 * Checks one pod's ring and streams: the ring holds one history, and no stream stays in another one. The events that a
 * stream receives would show the same, but only once there are new events.
 */
export class StreamWatch {
  readonly #process: SimulatedProcess;
  readonly #ring: Ring;
  readonly #report: (violation: string) => void;
  readonly #open = new Set<OpenStream>();
  #resetCount = 0;

  constructor(process: SimulatedProcess, ring: Ring, report: (violation: string) => void) {
    this.#process = process;
    this.#ring = ring;
    this.#report = (violation) => report(`${process.name}: ${violation}`);
    const push = ring.push.bind(ring);
    const reset = ring.reset.bind(ring);
    ring.push = (frame) => {
      this.#checkPush(frame);
      push(frame);
    };
    ring.reset = (position) => {
      this.#resetCount += 1;
      reset(position);
    };
  }

  /** Watches a stream that is about to join at `position`. */
  follow(sink: Sink, position: LogPosition, isFiltered: boolean): WatchedStream {
    const stream: OpenStream = {
      sink,
      epoch: position.epoch,
      resetCount: this.#resetCount,
      position: isFiltered ? null : position,
      divergedAtMs: null,
      isJoining: true,
    };
    this.#open.add(stream);
    const write: Sink['write'] = (chunk) => {
      if (stream.position !== null) stream.position = findLastPosition(chunk.plain.toString()) ?? stream.position;
      sink.write(chunk);
    };
    return { sink: { ...sink, write }, forget: () => void this.#open.delete(stream) };
  }

  /** Call it after every callback of the scheduler. */
  check(nowMs: number): void {
    const end = this.#ring.position();
    if (end === null || this.#process.isDead) return;
    for (const stream of this.#open) {
      if (stream.resetCount !== this.#resetCount) this.#report('a stream stays open when the ring is reset');
      else if (stream.epoch !== end.epoch)
        this.#report(`a stream of epoch ${stream.epoch} joins a ring of epoch ${end.epoch}`);
      else this.#checkPosition(stream, end, nowMs);
    }
  }

  #checkPush({ ms, seq, previousMs }: Frame): void {
    const end = this.#ring.position();
    if (end === null || (seq === end.seq + 1 && (previousMs === null || previousMs === end.ms))) return;
    this.#report(`the ring goes from ${formatPosition(end)} to ${ms}.${seq}, which came after ${previousMs}`);
  }

  /**
   * The pod must end a joining stream at once, and any other stream once it has written everything and waited for a
   * page.
   */
  #checkPosition(stream: OpenStream, end: LogPosition, nowMs: number): void {
    const { position, isJoining, sink } = stream;
    const isElsewhere = position !== null && position.seq === end.seq && position.ms !== end.ms;
    const isIdle = this.#process.isAwake && sink.unsentBytes() === 0;
    stream.isJoining = false;
    stream.divergedAtMs = isElsewhere && isIdle ? (stream.divergedAtMs ?? nowMs) : null;
    const waitedMs = nowMs - (stream.divergedAtMs ?? nowMs);
    if ((isElsewhere && isJoining) || waitedMs > toleranceMs) {
      this.#report('a stream stays at the end of the ring in another history');
    }
  }
}

/** Returns null if the text has no id. */
function findLastPosition(text: string): LogPosition | null {
  const id = [...text.matchAll(/^id: (\S+)$/gm)].at(-1)?.[1];
  return id === undefined ? null : parsePosition(id);
}
