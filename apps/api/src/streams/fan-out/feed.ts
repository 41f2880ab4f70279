import {
  compileFilter,
  type EventFilter,
  type EventPredicate,
  toFilterKey,
} from '@widget-service/shared/domain/event-filter.ts';
import { type JoinedFrames, joinFrames } from './chunk.ts';
import type { Frame } from './frame.ts';
import type { Ring } from './ring.ts';

/** The ring as seen through one filter. All connections with equal filters share one feed. */
export class Feed {
  readonly key: string;
  /** Null if every event passes. */
  readonly passes: EventPredicate | null;
  readonly #ring: Ring;
  /** Keyed by the first frame itself: a frame with the same `seq` may belong to another epoch. */
  readonly #joinedByFirstFrame = new Map<Frame, JoinedFrames>();

  constructor(ring: Ring, key: string, filter: EventFilter) {
    this.#ring = ring;
    this.key = key;
    this.passes = compileFilter(filter);
  }

  /**
   * Joins the ring's frames from `next` on into one write (see `joinFrames`). Caches the result until `clearCache`, so
   * that all connections at the same position share one buffer within a time slice or a fan-out. Frames that arrive
   * later are in the next write. Throws if the ring no longer holds `next` and no result is cached.
   */
  joinFrom(next: Frame): JoinedFrames {
    const cached = this.#joinedByFirstFrame.get(next);
    if (cached !== undefined) return cached;
    const joined = joinFrames(this.#ring, next.seq, this.passes);
    this.#joinedByFirstFrame.set(next, joined);
    return joined;
  }

  clearCache(): void {
    this.#joinedByFirstFrame.clear();
  }
}

/** Keeps one feed per distinct filter of the open connections. Connections with equal filters share a feed. */
export class Feeds {
  readonly #ring: Ring;
  readonly #byKey = new Map<string, { readonly feed: Feed; references: number }>();
  /** Streams with one entitlement share its filter object, so the key is computed once per object. */
  readonly #keys = new WeakMap<EventFilter, string>();

  constructor(ring: Ring) {
    this.#ring = ring;
  }

  /** Returns the feed of this filter. Each call needs one `release`. */
  acquire(filter: EventFilter): Feed {
    const key = this.#keys.get(filter) ?? toFilterKey(filter);
    this.#keys.set(filter, key);
    const entry = this.#byKey.get(key) ?? { feed: new Feed(this.#ring, key, filter), references: 0 };
    entry.references += 1;
    this.#byKey.set(key, entry);
    return entry.feed;
  }

  /**
   * Gives one `acquire` back. Drops the feed when each `acquire` has its `release`. Call it exactly once per `acquire`:
   * a further call would release a feed that another connection uses.
   */
  release({ key }: Feed): void {
    const entry = this.#byKey.get(key);
    if (entry === undefined) return;
    entry.references -= 1;
    if (entry.references === 0) this.#byKey.delete(key);
  }

  /** Clears the cache of every feed. */
  clearCaches(): void {
    for (const { feed } of this.#byKey.values()) feed.clearCache();
  }
}
