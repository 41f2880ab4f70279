import {
  compileFilter,
  type EventFilter,
  type EventPredicate,
  toFilterKey,
} from '@widget-service/shared/domain/event-filter.ts';
import { type JoinedFrames, joinFrames } from './chunk.ts';
import type { Frame } from './frame.ts';
import type { Ring } from './ring.ts';

/** What comes out of the ring through one filter, for every connection under it. */
export class Feed {
  readonly key: string;
  /** Null when everything passes. */
  readonly passes: EventPredicate | null;
  readonly #ring: Ring;
  /** By their first frame itself: one of the same number may be of another history. */
  readonly #shared = new Map<Frame, JoinedFrames>();

  constructor(ring: Ring, key: string, filter: EventFilter) {
    this.#ring = ring;
    this.key = key;
    this.passes = compileFilter(filter);
  }

  /**
   * What the ring has for a connection whose next frame this is. Remembered: within one turn all connections at the same
   * place share one buffer.
   */
  framesFrom(next: Frame): JoinedFrames {
    const known = this.#shared.get(next);
    if (known !== undefined) return known;
    const joined = joinFrames(this.#ring, next.seq, this.passes);
    this.#shared.set(next, joined);
    return joined;
  }

  clearCache(): void {
    this.#shared.clear();
  }
}

/** One feed per distinct filter of the open connections, whosever they are. */
export class Feeds {
  readonly #ring: Ring;
  readonly #byKey = new Map<string, { readonly feed: Feed; users: number }>();
  /** Streams that were opened with one right share its filter too, and its key is made once. */
  readonly #keys = new WeakMap<EventFilter, string>();

  constructor(ring: Ring) {
    this.#ring = ring;
  }

  /** To be released again, once per time it was taken. */
  acquire(filter: EventFilter): Feed {
    const key = this.#keys.get(filter) ?? toFilterKey(filter);
    this.#keys.set(filter, key);
    const entry = this.#byKey.get(key) ?? { feed: new Feed(this.#ring, key, filter), users: 0 };
    entry.users += 1;
    this.#byKey.set(key, entry);
    return entry.feed;
  }

  release({ key }: Feed): void {
    const entry = this.#byKey.get(key);
    if (entry === undefined) return;
    entry.users -= 1;
    if (entry.users === 0) this.#byKey.delete(key);
  }

  /** Lets go of what was remembered. */
  clearCaches(): void {
    for (const { feed } of this.#byKey.values()) feed.clearCache();
  }
}
