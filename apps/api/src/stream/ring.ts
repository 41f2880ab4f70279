import type { LogPosition } from '@widget-service/shared/domain/log-position.ts';
import type { Frame } from './frame.ts';

export interface RingLimits {
  readonly frames: number;
  readonly bytes: number;
}

/**
 * The newest frames, in memory once per pod. Connections are cursors into it. Its frames are dense in `seq` and of
 * one epoch; whoever pushes sees to that.
 */
export class Ring {
  readonly limits: RingLimits;
  #frames: Frame[] = [];
  /** Index of the oldest kept frame: dropping moves it, and the array is cut only now and then. */
  #head = 0;
  #bytes = 0;
  #position: LogPosition | null = null;

  constructor(limits: RingLimits) {
    this.limits = limits;
  }

  /** Forgets everything and stands at `position`. */
  reset(position: LogPosition): void {
    this.#frames = [];
    this.#head = 0;
    this.#bytes = 0;
    this.#position = position;
  }

  /** How far the pod has read the log; null before it has reached it. */
  position(): LogPosition | null {
    return this.#position;
  }

  push(frame: Frame): void {
    if (this.#position === null) throw new Error('the ring has no position yet');
    this.#frames.push(frame);
    this.#bytes += frame.bytes.length;
    this.#position = { epoch: this.#position.epoch, ms: frame.ms, seq: frame.seq };
    while (this.#size() > 1 && (this.#size() > this.limits.frames || this.#bytes > this.limits.bytes)) this.#drop();
  }

  /** The frame with this number, if it is kept. */
  at(seq: number): Frame | undefined {
    const oldest = this.#frames[this.#head];
    return oldest === undefined || seq < oldest.seq ? undefined : this.#frames[this.#head + seq - oldest.seq];
  }

  /**
   * The frame right after a cursor. `none-yet`: it stands at the end, or is further than this pod; `dropped`: it is no
   * longer kept; `other-history`: the log has lost what the cursor stands on, or what the ring holds.
   */
  after({ ms, seq }: Pick<LogPosition, 'ms' | 'seq'>): Frame | 'none-yet' | 'dropped' | 'other-history' {
    const end = this.#position;
    if (end === null || seq > end.seq) return 'none-yet';
    if (seq === end.seq) return ms === end.ms ? 'none-yet' : 'other-history';
    const next = this.at(seq + 1);
    if (next === undefined) return 'dropped';
    return next.previousMs === null || next.previousMs === ms ? next : 'other-history';
  }

  /** Whether a cursor whose next frame has this number can be fed from here, now or as soon as there is more. */
  covers(nextSeq: number): boolean {
    if (this.#position === null) return false;
    return nextSeq > this.#position.seq || this.at(nextSeq) !== undefined;
  }

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
