import { type LogPosition, positionBefore } from '@widget-service/shared/domain/log-position.ts';
import type { Frame } from './frame.ts';

/** The ring keeps the newest frames within both limits. It keeps the very newest frame even if that exceeds them. */
export interface RingLimits {
  readonly frames: number;
  /** Bytes of the frames. */
  readonly bytes: number;
}

/**
 * The ring: the newest frames, kept once per pod in memory. Connections are cursors into it.
 *
 * The numbers of the frames have no holes, and all frames are of one epoch. The caller of `push` must ensure that.
 */
export class Ring {
  readonly limits: RingLimits;
  #frames: Frame[] = [];
  /**
   * The index of the oldest kept frame. `#drop` moves it and only sometimes shortens the array, so a drop is O(1)
   * amortized.
   */
  #head = 0;
  #bytes = 0;
  #position: LogPosition | null = null;

  constructor(limits: RingLimits) {
    this.limits = limits;
  }

  /** Drops every frame and moves the ring to `position`. */
  reset(position: LogPosition): void {
    this.#frames = [];
    this.#head = 0;
    this.#bytes = 0;
    this.#position = position;
  }

  /** How far the pod has read the log; null before the first `reset`. */
  position(): LogPosition | null {
    return this.#position;
  }

  /** Where its oldest frame begins: from here to its end, no event is missing. Null before the first `reset`. */
  start(): LogPosition | null {
    const oldest = this.#frames[this.#head];
    if (this.#position === null || oldest === undefined) return this.#position;
    return positionBefore({ epoch: this.#position.epoch, ...oldest });
  }

  /** Adds the next frame and drops the oldest frames above the limits. Throws before the first `reset`. */
  push(frame: Frame): void {
    if (this.#position === null) throw new Error('the ring has no position: call reset() before push()');
    this.#frames.push(frame);
    this.#bytes += frame.bytes.length;
    this.#position = { epoch: this.#position.epoch, ms: frame.ms, seq: frame.seq };
    while (this.#size() > 1 && (this.#size() > this.limits.frames || this.#bytes > this.limits.bytes)) this.#drop();
  }

  /** The frame with this number; undefined if the ring does not hold it. */
  at(seq: number): Frame | undefined {
    const oldest = this.#frames[this.#head];
    return oldest === undefined || seq < oldest.seq ? undefined : this.#frames[this.#head + seq - oldest.seq];
  }

  /**
   * Returns the frame right after a cursor, or why there is none. The cursor must be of the ring's epoch.
   * - `at-end`: the cursor is at the ring's end, or ahead of it: at an event that this pod has not read yet. Also
   *   before the first `reset`.
   * - `dropped`: the next frame is older than the ring's frames.
   * - `diverged`: the cursor is on an event of another history, because the log has lost that event or the ring's event
   *   with the same number.
   *
   * The check compares `ms` too, because a log that lost events gives their numbers again (ADR 11).
   */
  after({ ms, seq }: Pick<LogPosition, 'ms' | 'seq'>): Frame | 'at-end' | 'dropped' | 'diverged' {
    const end = this.#position;
    if (end === null || seq > end.seq) return 'at-end';
    if (seq === end.seq) return ms === end.ms ? 'at-end' : 'diverged';
    const next = this.at(seq + 1);
    if (next === undefined) return 'dropped';
    return next.previousMs === null || next.previousMs === ms ? next : 'diverged';
  }

  /** Whether a cursor whose next frame has this number can continue from the ring, now or when the frame arrives. */
  canServeFrom(nextSeq: number): boolean {
    if (this.#position === null) return false;
    return nextSeq > this.#position.seq || this.at(nextSeq) !== undefined;
  }

  /** Whether the ring holds a frame with exactly this epoch, `ms` and `seq`. */
  contains(position: LogPosition): boolean {
    return position.epoch === this.#position?.epoch && this.at(position.seq)?.ms === position.ms;
  }

  #size(): number {
    return this.#frames.length - this.#head;
  }

  #drop(): void {
    this.#bytes -= this.#frames[this.#head]?.bytes.length ?? 0;
    this.#head += 1;
    if (this.#head > 1024 && this.#head * 2 > this.#frames.length) {
      this.#frames = this.#frames.slice(this.#head);
      this.#head = 0;
    }
  }
}
