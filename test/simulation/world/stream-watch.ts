import type { Frame } from '@widget-service/api/stream/frame.ts';
import type { Sink } from '@widget-service/api/stream/response-sink.ts';
import type { Ring } from '@widget-service/api/stream/ring.ts';
import { formatPosition, type LogPosition, parsePosition } from '@widget-service/shared/domain/log-position.ts';
import type { SimulatedProcess } from '../engine/simulated-process.ts';

/** As long as a page of the log may be waited for, and a little more. */
const patienceMs = 2_500;

/** A stream that has joined those of its pod. */
export interface WatchedStream {
  readonly sink: Sink;
  /** To be called when the pod has ended it. */
  forget(): void;
}

interface OpenStream {
  readonly sink: Sink;
  readonly epoch: string;
  /** How often the pod had found its place anew when the stream joined. */
  readonly place: number;
  /** Where the stream stands; null where a filter hides it. */
  position: LogPosition | null;
  /** Since when it stands where the ring does, but in another history. */
  strayedAtMs: number | null;
  /** Until it was looked at for the first time. */
  isJoining: boolean;
}

/**
 * Looks at one pod's ring and streams for what each rule keeps by itself: the ring is one history, and no stream stays
 * in another one. What a stream would be sent next tells the same, but only when there is something to be sent.
 */
export class StreamWatch {
  readonly #process: SimulatedProcess;
  readonly #ring: Ring;
  readonly #note: (misstep: string) => void;
  readonly #open = new Set<OpenStream>();
  #places = 0;

  constructor(process: SimulatedProcess, ring: Ring, note: (misstep: string) => void) {
    this.#process = process;
    this.#ring = ring;
    this.#note = (misstep) => note(`${process.name}: ${misstep}`);
    const push = ring.push.bind(ring);
    const reset = ring.reset.bind(ring);
    ring.push = (frame) => {
      this.#notePush(frame);
      push(frame);
    };
    ring.reset = (position) => {
      this.#places += 1;
      reset(position);
    };
  }

  /** A stream that is about to join at `position`. */
  follow(sink: Sink, position: LogPosition, isFiltered: boolean): WatchedStream {
    const stream: OpenStream = {
      sink,
      epoch: position.epoch,
      place: this.#places,
      position: isFiltered ? null : position,
      strayedAtMs: null,
      isJoining: true,
    };
    this.#open.add(stream);
    const write: Sink['write'] = (chunk) => {
      if (stream.position !== null) stream.position = lastPositionIn(chunk.plain.toString()) ?? stream.position;
      sink.write(chunk);
    };
    return { sink: { ...sink, write }, forget: () => void this.#open.delete(stream) };
  }

  /** To be called after everything that happens. */
  look(nowMs: number): void {
    const end = this.#ring.position();
    if (end === null || this.#process.isDead) return;
    for (const stream of this.#open) {
      if (stream.place !== this.#places) this.#note('a stream stays open when the pod finds its place anew');
      else if (stream.epoch !== end.epoch) this.#note(`a stream of ${stream.epoch} joins those of ${end.epoch}`);
      else this.#lookWhereItStands(stream, end, nowMs);
    }
  }

  #notePush({ ms, seq, previousMs }: Frame): void {
    const end = this.#ring.position();
    if (end === null || (seq === end.seq + 1 && (previousMs === null || previousMs === end.ms))) return;
    this.#note(`the ring goes from ${formatPosition(end)} to ${ms}.${seq}, which came after ${previousMs}`);
  }

  /** Who joins is looked at by the pod at once; others when there is nothing still to be taken or to be done. */
  #lookWhereItStands(stream: OpenStream, end: LogPosition, nowMs: number): void {
    const { position, isJoining, sink } = stream;
    const isElsewhere = position !== null && position.seq === end.seq && position.ms !== end.ms;
    const isQuiet = this.#process.isAwake && sink.unsentBytes() === 0;
    stream.isJoining = false;
    stream.strayedAtMs = isElsewhere && isQuiet ? (stream.strayedAtMs ?? nowMs) : null;
    const waitedMs = nowMs - (stream.strayedAtMs ?? nowMs);
    if ((isElsewhere && isJoining) || waitedMs > patienceMs) {
      this.#note('a stream stays where the ring ends in another history');
    }
  }
}

/** Null when nothing in the text has an id. */
function lastPositionIn(text: string): LogPosition | null {
  const id = [...text.matchAll(/^id: (\S+)$/gm)].at(-1)?.[1];
  return id === undefined ? null : parsePosition(id);
}
