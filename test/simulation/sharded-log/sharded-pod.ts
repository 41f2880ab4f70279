import {
  formatPosition,
  isSamePosition,
  type LogPosition,
  parsePosition,
} from '@widget-service/shared/domain/log-position.ts';
import { resolveStreamStart } from '@widget-service/shared/domain/stream-start.ts';
import type { Rules } from './rules.ts';
import type { ShardEntry } from './shard.ts';
import { isSealed, type ShardedLog, type ShardList } from './sharded-log.ts';
import { formatShardedPosition, parseShardedPosition, type ShardedPosition } from './sharded-position.ts';

/** What a stream sends. `position` is the text of its `id:`. */
export interface StreamListener {
  onEvent(entry: ShardEntry, position: string): void;
  onGap(position: string): void;
  onClosed(): void;
}

/** Of so many reads of a slow shard, one is answered. */
const slowness = 5;

/** One open stream. It is live when it is exactly where its pod is. */
interface OpenStream {
  readonly listener: StreamListener;
  list: ShardList;
  parts: LogPosition[];
}

/** One api process: it reads every shard and serves streams. */
export class ShardedPod {
  readonly #log: ShardedLog;
  readonly #rules: Rules;
  /** A pod of a version without shards reads only the first list, and knows only its positions. */
  readonly isOld: boolean;
  readonly #streams = new Set<OpenStream>();
  #list: ShardList;
  #cursor: LogPosition[];

  constructor(log: ShardedLog, rules: Rules, isOld: boolean) {
    this.#log = log;
    this.#rules = rules;
    this.isOld = isOld;
    this.#list = isOld ? (log.lists[0] as ShardList) : log.openList;
    this.#cursor = this.#list.shards.map(({ extent }) => extent.last);
  }

  /** Opens a stream at a position, or at the present. Returns false if the pod cannot serve it now. */
  open(requested: string | null, listener: StreamListener): boolean {
    const stream: OpenStream = { listener, list: this.#list, parts: [...this.#cursor] };
    const position = requested === null ? null : this.#parse(requested);
    const list = position === null ? undefined : this.#log.lists[position.list - 1];
    if (requested !== null && (position === null || list === undefined || (this.isOld && position.list > 1))) {
      listener.onGap(this.#format(stream));
    } else if (position !== null && list !== undefined) {
      // Too few or too many parts: no pod has sent this.
      if (this.#rules.carriesEveryPart && position.parts.length !== list.shards.length) {
        listener.onGap(this.#format(stream));
        this.#streams.add(stream);
        return true;
      }
      if (list.shards.some(({ isReachable }) => !isReachable)) return false;
      stream.list = list;
      stream.parts = list.beginnings.map((_, index) => position.parts[index] ?? this.#cursorOr(list, index));
      if (this.#skipGaps(stream)) listener.onGap(this.#format(stream));
    }
    this.#streams.add(stream);
    return true;
  }

  /** The position of a stream that opens now without one. */
  currentPosition(): string {
    return this.#format({ list: this.#list, parts: this.#cursor });
  }

  close(listener: StreamListener): void {
    for (const stream of this.#streams) if (stream.listener === listener) this.#streams.delete(stream);
  }

  /** The process ends: all its streams break. */
  stop(): void {
    for (const { listener } of this.#streams) listener.onClosed();
    this.#streams.clear();
  }

  /** Reads the next entry of a shard, and sends it to the streams that are live. */
  pull(choice: number): void {
    this.#moveToNextList();
    const index = choice % this.#list.shards.length;
    const shard = this.#list.shards[index];
    if (shard === undefined || !shard.isReachable || (shard.isSlow && choice % slowness !== 0)) return;
    const live = [...this.#streams].filter((stream) => this.#isLive(stream));
    const entry = this.#read(this.#list, index, this.#cursor[index] as LogPosition);
    if (entry === null) return;
    if (entry === 'lost') {
      this.#resync(index);
      return;
    }
    this.#cursor[index] = entry;
    for (const stream of live) this.#send(stream, index, entry);
  }

  /** Reads the next entry for a stream that is not live: what its pod has read already. */
  replay(choice: number): void {
    const behind = [...this.#streams].filter((stream) => !this.#isLive(stream));
    const stream = behind[choice % Math.max(1, behind.length)];
    if (stream === undefined || this.#moveStreamToNextList(stream)) return;
    const isOwnList = stream.list === this.#list;
    for (const [index, part] of stream.parts.entries()) {
      const shard = stream.list.shards[index];
      const limit = this.#cursor[index] as LogPosition;
      if (shard === undefined || !shard.isReachable) continue;
      if (isOwnList && part.epoch === limit.epoch && part.seq >= limit.seq) continue;
      const entry = this.#read(stream.list, index, part);
      if (entry === null) continue;
      if (entry === 'lost') this.#closeStream(stream);
      else this.#send(stream, index, entry);
      return;
    }
  }

  /** True if every stream is where the log ends. */
  isAtEnd(): boolean {
    const newest = this.#log.lists.at(-1);
    const isPodAtEnd = this.#list === newest && this.#cursor.every((part, index) => isEndOf(this.#list, index, part));
    return isPodAtEnd && [...this.#streams].every((stream) => this.#isLive(stream));
  }

  #read(list: ShardList, index: number, part: LogPosition): ShardEntry | null | 'lost' {
    const shard = list.shards[index];
    if (shard === undefined) return null;
    if (!this.#rules.checksContiguity) return shard.readAnyAfter(part);
    const seal = list.seals[index];
    // Nothing comes after a seal, whatever has become of the shard.
    if (seal != null && isSamePosition(part, seal)) return null;
    const entry = shard.readAfter(part);
    // A sealed shard that ends elsewhere has lost what was before its seal.
    return entry === null && seal != null && this.#rules.checksSealedEnds ? 'lost' : entry;
  }

  #send(stream: OpenStream, index: number, entry: ShardEntry): void {
    stream.parts[index] = entry;
    const own = this.#rules.carriesEveryPart ? stream : { ...stream, parts: [entry] };
    const shown = this.#rules.keepsOwnPositionWhileAhead ? own : { list: this.#list, parts: this.#cursor };
    stream.listener.onEvent(entry, this.#format(shown));
  }

  /** A pod of a version without shards knows only today's text. */
  #parse(text: string): ShardedPosition | null {
    if (!this.isOld) return parseShardedPosition(text);
    const part = parsePosition(text);
    return part === null ? null : { list: 1, parts: [part] };
  }

  #format({ list, parts }: Pick<OpenStream, 'list' | 'parts'>): string {
    return formatShardedPosition({ list: list.number, parts });
  }

  #cursorOr(list: ShardList, index: number): LogPosition {
    return (list === this.#list ? this.#cursor[index] : list.beginnings[index]) as LogPosition;
  }

  #isLive({ list, parts }: OpenStream): boolean {
    if (!this.#rules.comparesWithinShard) return list === this.#list && sumOffsets(parts) === sumOffsets(this.#cursor);
    return (
      list === this.#list && parts.every((part, index) => isSamePosition(part, this.#cursor[index] as LogPosition))
    );
  }

  /** Moves each part that is not covered to where the shard still continues. Returns whether it moved one. */
  #skipGaps(stream: OpenStream): boolean {
    let hasGap = false;
    for (const [index, part] of stream.parts.entries()) {
      const shard = stream.list.shards[index];
      if (shard === undefined || (index > 0 && !this.#rules.checksEveryPart)) continue;
      const { extent } = shard;
      const epoch = this.#rules.comparesEpochs ? part.epoch : extent.epoch;
      const { position, gap } = resolveStreamStart(formatPosition({ ...part, epoch }), extent, shard.contains(part));
      const seal = stream.list.seals[index];
      const isCutShort = seal != null && !isSamePosition(extent.last, seal) && !isSamePosition(part, seal);
      if (this.#rules.checksSealedEnds && isCutShort) {
        stream.parts[index] = seal;
        hasGap = true;
      } else if (seal != null && isSamePosition(part, seal)) {
        stream.parts[index] = part;
      } else {
        stream.parts[index] = position;
        hasGap ||= gap !== null && (gap.reason !== 'trimmed' || this.#rules.announcesTrims);
      }
    }
    return hasGap;
  }

  /** A shard does not continue where the pod was. All streams break; each is told at its resume whether it misses events. */
  #resync(index: number): void {
    const { extent } = this.#list.shards[index] as ShardList['shards'][number];
    this.#cursor[index] = this.#list.seals[index] ?? extent.oldest;
    for (const stream of [...this.#streams]) this.#closeStream(stream);
  }

  #closeStream(stream: OpenStream): void {
    this.#streams.delete(stream);
    stream.listener.onClosed();
  }

  #moveToNextList(): void {
    const next = this.#log.lists[this.#list.number];
    if (next === undefined || this.isOld || !this.#mayLeave(this.#list, this.#cursor)) return;
    this.#list = next;
    this.#cursor = this.#beginningsOf(next);
  }

  /** Returns whether it moved. A stream never moves on before its pod. */
  #moveStreamToNextList(stream: OpenStream): boolean {
    const next = this.#log.lists[stream.list.number];
    const mayMove = next !== undefined && next.number <= this.#list.number && this.#mayLeave(stream.list, stream.parts);
    if (!mayMove) return false;
    stream.list = next;
    stream.parts = this.#beginningsOf(next);
    if (this.#skipGaps(stream)) stream.listener.onGap(this.#format(stream));
    return true;
  }

  #mayLeave(list: ShardList, parts: readonly LogPosition[]): boolean {
    if (!this.#rules.readsOldListFirst) return true;
    const maySkip = (index: number) => !this.#rules.waitsForSlowShards && list.shards[index]?.isSlow === true;
    return isSealed(list) && parts.every((part, index) => maySkip(index) || isEndOf(list, index, part));
  }

  #beginningsOf(list: ShardList): LogPosition[] {
    return this.#rules.startsNewListAtItsBeginning
      ? [...list.beginnings]
      : list.shards.map(({ extent }) => extent.last);
  }
}

function sumOffsets(parts: readonly LogPosition[]): number {
  return parts.reduce((sum, { seq }) => sum + seq, 0);
}

function isEndOf(list: ShardList, index: number, part: LogPosition): boolean {
  const seal = list.seals[index];
  if (seal != null) return isSamePosition(part, seal);
  return isSamePosition(part, (list.shards[index] as ShardList['shards'][number]).extent.last);
}
