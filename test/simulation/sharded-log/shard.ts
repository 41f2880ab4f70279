import {
  isContiguous,
  isSamePosition,
  type LinkedPosition,
  type LogPosition,
} from '@widget-service/shared/domain/log-position.ts';
import { isCovered, type LogExtent } from '@widget-service/shared/domain/stream-start.ts';

/** One version of one widget, as an event of the log. */
export interface ShardEvent {
  readonly widget: number;
  readonly version: number;
}

export interface ShardEntry extends LinkedPosition, ShardEvent {}

/** One Redis node's part of the log: entries, watermarks and seal, which are lost together. */
export class Shard {
  #epoch: string;
  #entries: ShardEntry[] = [];
  #last: LogPosition;
  #oldest: LogPosition;
  /** The highest version of each widget that is in the log. */
  #watermarks = new Map<number, number>();
  isSealed = false;
  isReachable = true;
  /** It answers only some of the reads. */
  isSlow = false;

  constructor(epoch: string) {
    this.#epoch = epoch;
    this.#last = { epoch, ms: 0, seq: 0 };
    this.#oldest = this.#last;
  }

  get extent(): LogExtent {
    return { epoch: this.#epoch, oldest: this.#oldest, last: this.#last };
  }

  /** Returns whether the log has, or had, this version of the widget. */
  hasVersion({ widget, version }: ShardEvent): boolean {
    return (this.#watermarks.get(widget) ?? 0) >= version;
  }

  /** Appends an event, unless its version is in the log already. Returns null if it was. */
  append(event: ShardEvent, nowMs: number): ShardEntry | null {
    if (this.hasVersion(event)) return null;
    const ms = Math.max(nowMs, this.#last.ms);
    const entry = { ...event, epoch: this.#epoch, ms, seq: this.#last.seq + 1, previousMs: this.#last.ms };
    this.#entries.push(entry);
    this.#last = { epoch: this.#epoch, ms, seq: entry.seq };
    this.#watermarks.set(event.widget, event.version);
    return entry;
  }

  /** Drops all but the newest entries. */
  trim(keep: number): void {
    const dropped = this.#entries.splice(0, Math.max(0, this.#entries.length - keep)).at(-1);
    if (dropped !== undefined) this.#oldest = { epoch: dropped.epoch, ms: dropped.ms, seq: dropped.seq };
  }

  /** A replica that lacks the newest entries takes over. It lacks what came with them, too. */
  loseTail(count: number): void {
    this.isSealed = false;
    for (const lost of this.#entries.splice(Math.max(0, this.#entries.length - count)).toReversed()) {
      this.#watermarks.set(lost.widget, lost.version - 1);
      this.#last = { epoch: lost.epoch, ms: lost.previousMs ?? 0, seq: lost.seq - 1 };
    }
  }

  /** Drops everything and starts a new epoch. */
  startEpoch(epoch: string): void {
    this.isSealed = false;
    this.#epoch = epoch;
    this.#entries = [];
    this.#watermarks = new Map();
    this.#last = { epoch, ms: 0, seq: 0 };
    this.#oldest = this.#last;
  }

  /** Returns whether the shard has exactly this position and all entries after it. */
  covers(position: LogPosition): boolean {
    return position.epoch === this.#epoch && isCovered(position, this.extent, this.contains(position));
  }

  contains(position: LogPosition): boolean {
    return this.#entries.some((entry) => isSamePosition(entry, position));
  }

  /** Returns the next entry after the position, null at the end, or `lost` if the shard does not continue there. */
  readAfter(position: LogPosition): ShardEntry | null | 'lost' {
    if (!this.covers(position)) return 'lost';
    const next = this.#entries.find((entry) => entry.seq === position.seq + 1);
    if (next === undefined) return null;
    return isContiguous(position, [next]) ? next : 'lost';
  }

  /** Returns the first entry with a higher number, whatever came between: what a careless reader would do. */
  readAnyAfter(position: LogPosition): ShardEntry | null {
    return this.#entries.find((entry) => entry.seq > position.seq) ?? null;
  }
}
