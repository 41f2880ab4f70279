import { isSamePosition, type LogPosition } from '@widget-service/shared/domain/log-position.ts';
import type { Rules } from './rules.ts';
import { Shard, type ShardEntry, type ShardEvent } from './shard.ts';

/** One list of shards, with what MongoDB records of it. */
export interface ShardList {
  readonly number: number;
  readonly shards: readonly Shard[];
  /** Where each shard begins. */
  readonly beginnings: readonly LogPosition[];
  /** The witness: the last position of each shard that a worker has recorded. */
  readonly recorded: LogPosition[];
  /** Where each shard was sealed, or null. */
  readonly seals: (LogPosition | null)[];
}

/** A version of a widget that is not confirmed as published. */
interface OutboxEntry {
  readonly version: number;
  /** The list in which it is appended, from before the first attempt. */
  list: ShardList | null;
}

interface Unrecorded {
  readonly list: ShardList;
  readonly shard: number;
  readonly position: LogPosition;
  /** The recorded position that the append was checked against. */
  readonly checked: LogPosition;
}

/** An event that was in the log at some time, even if a fault has removed it. */
export interface AppendedEvent extends ShardEntry {
  readonly list: number;
  readonly shard: number;
  readonly atStep: number;
}

/**
 * The event log in lists of shards, and the workers that append to it: one outbox per widget, in the order of versions.
 */
export class ShardedLog {
  readonly lists: ShardList[] = [];
  readonly appended: AppendedEvent[] = [];
  readonly #rules: Rules;
  readonly #versions = new Map<number, number>();
  readonly #outboxes = new Map<number, OutboxEntry[]>();
  /** What a worker has appended, but not recorded. By widget. */
  readonly #unrecorded = new Map<number, Unrecorded>();
  #epochs = 0;
  step = 0;

  constructor(rules: Rules, shards: number) {
    this.#rules = rules;
    this.addList(shards);
  }

  /** The newest list that accepts events. */
  get openList(): ShardList {
    return this.lists.findLast((list) => this.#isOpen(list)) as ShardList;
  }

  addList(shards: number): void {
    const all = Array.from({ length: shards }, () => new Shard(this.nextEpoch()));
    const beginnings = all.map(({ extent }) => extent.last);
    const number = this.lists.length + 1;
    this.lists.push({ number, shards: all, beginnings, recorded: [...beginnings], seals: all.map(() => null) });
  }

  /**
   * Takes one of the two steps that seal a shard of the last list but one. First the shard itself: it accepts nothing
   * more. Then, when no outbox may have something in it that is not recorded, the seal in MongoDB.
   */
  seal(choice: number): void {
    const list = this.lists.at(-2);
    const index = list === undefined ? 0 : choice % list.shards.length;
    const shard = list?.shards[index];
    if (list === undefined || shard === undefined || !shard.isReachable || list.seals[index] !== null) return;
    if (!shard.isSealed) {
      shard.isSealed = true;
      return;
    }
    if (this.#rules.resolvesBeforeSeal && this.#hasUnresolved(list, index)) return;
    this.#noticeLoss(list, index);
    list.seals[index] = shard.extent.last;
  }

  /** A hook changes a widget: its outbox gets one version more. */
  change(widget: number): void {
    const version = (this.#versions.get(widget) ?? 0) + 1;
    this.#versions.set(widget, version);
    this.#outboxes.set(widget, [...(this.#outboxes.get(widget) ?? []), { version, list: null }]);
  }

  /** A worker appends the oldest version in the outbox. `isStale`: it does not know of the newest list yet. */
  publish(widget: number, isStale: boolean): void {
    const entry = this.#outboxes.get(widget)?.[0];
    if (entry === undefined) return;
    const newest = (isStale ? this.lists.at(-2) : undefined) ?? (this.lists.at(-1) as ShardList);
    const list = (this.#rules.stampsOutboxes ? entry.list : null) ?? newest;
    entry.list = list;
    const index = widget % list.shards.length;
    const shard = list.shards[index];
    if (shard === undefined || !shard.isReachable || !this.#isOpen(list)) return;
    if (this.#rules.readsSealBeforeAppend && list.seals[index] !== null) {
      // It was never appended there: the seal was recorded when nothing was unresolved.
      this.#removeStamp(widget, entry);
      return;
    }
    this.#noticeLoss(list, index);
    if (shard.isSealed && !shard.hasVersion({ widget, version: entry.version })) {
      this.#removeStamp(widget, entry);
    } else {
      this.#append(list, index, { widget, version: entry.version });
    }
  }

  /** The event goes to the next list. A run that still believes it has appended it must not record that. */
  #removeStamp(widget: number, entry: OutboxEntry): void {
    entry.list = null;
    if (this.#rules.fencesStamps) this.#unrecorded.delete(widget);
  }

  #append(list: ShardList, index: number, event: ShardEvent): void {
    const shard = list.shards[index] as Shard;
    const recorded = list.recorded[index] as LogPosition;
    const entry = shard.append(event, this.step);
    if (entry !== null) this.appended.push({ ...entry, list: list.number, shard: index, atStep: this.step });
    this.#unrecorded.set(event.widget, { list, shard: index, position: shard.extent.last, checked: recorded });
  }

  /** A shard without the recorded position has lost events. It starts a new epoch, so that every stream notices. */
  #noticeLoss(list: ShardList, index: number): void {
    const shard = list.shards[index] as Shard;
    if (!this.#rules.checksWitness || shard.covers(list.recorded[index] as LogPosition)) return;
    const { isSealed } = shard;
    shard.startEpoch(this.nextEpoch());
    shard.isSealed = isSealed;
    list.recorded[index] = shard.extent.last;
  }

  /** Notices losses in shards that get no appends. */
  checkQuietShards(): void {
    if (!this.#rules.checksQuietShards) return;
    for (const list of this.lists) {
      for (const [index, shard] of list.shards.entries()) {
        if (shard.isReachable && list.seals[index] === null) this.#noticeLoss(list, index);
      }
    }
  }

  /** A list is open when each shard of the one before it is sealed. */
  #isOpen({ number }: ShardList): boolean {
    const previous = this.lists[number - 2];
    return previous === undefined || !this.#rules.opensAfterAllSeals || isSealed(previous);
  }

  #hasUnresolved(list: ShardList, index: number): boolean {
    return [...this.#outboxes].some(
      ([widget, [entry]]) => entry?.list === list && widget % list.shards.length === index,
    );
  }

  /** The worker records the position in MongoDB, then removes the version from the outbox. */
  confirm(widget: number): void {
    const appended = this.#unrecorded.get(widget);
    if (appended === undefined) return;
    this.#unrecorded.delete(widget);
    const { list, shard, position, checked } = appended;
    const isUnchanged = isSamePosition(list.recorded[shard] as LogPosition, checked);
    if (this.#rules.recordsOverTheChecked && !isUnchanged) return;
    list.recorded[shard] = position;
    this.#outboxes.get(widget)?.shift();
  }

  get hasOutboxes(): boolean {
    return [...this.#outboxes.values()].some((versions) => versions.length > 0);
  }

  nextEpoch(): string {
    this.#epochs += 1;
    return `e${this.#epochs.toString(36)}`;
  }
}

/** Returns whether every shard of the list is sealed: nothing more will come of it. */
export function isSealed({ seals }: ShardList): boolean {
  return !seals.includes(null);
}
