import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { type Clock, requestDeadlineMs, withDeadline } from '@widget-service/shared/runtime/clock.ts';
import { dropOldest } from '@widget-service/shared/runtime/drop-oldest.ts';
import { createSemaphore } from '@widget-service/shared/runtime/semaphore.ts';
import { freshForMs } from './revocation-freshness.ts';

const cacheTtlMs = 60_000;
/** From this age on, a use of an entry also reads it again in the background, so that no caller waits for the store. */
const refreshFromMs = 45_000;
/** How long a caller waits for the store if the entry is trusted: short, as the whole request must end within 2 s. */
const trustedTimeoutMs = 150;
/** The same for an entry that is not trusted: long enough for a store that is busy but not unavailable. */
const untrustedTimeoutMs = 1_000;
/**
 * After a read has failed because the store is unavailable, the cache uses the entry for this time before the next
 * read. If the pod is not fresh, each use tries a read first.
 */
const retryAfterMs = 5_000;
/**
 * After a failover, MongoDB may return data from before the last write for a while. So for this time after an eviction,
 * entries that depend on the evicted id, and all invalid tokens, are cached only for `maybeStaleTtlMs`.
 */
const maybeStaleForMs = 15_000;
const maybeStaleTtlMs = 1_000;
const validEntriesMax = 20_000;
const invalidEntriesMax = 20_000;
const evictedIdsMax = 20_000;
/** The most reads for one request. A read is repeated if an eviction happens meanwhile. */
const readAttemptsMax = 3;
const readName = 'read a token from its store';
const readLimits = { what: readName, maxRunning: 20, maxWaiting: 2_000, maxWaitMs: requestDeadlineMs } as const;

/** A valid token as read from the store. */
interface StoredToken<T> {
  /** What the token stands for, for example a grant. */
  readonly value: T;
  /** The token is valid before this time. Null: no end is set. */
  readonly validUntil: Date | null;
}

export interface TokenCacheDeps<T> {
  /** Reads a token by its digest (SHA-256, hex). Null: unknown, revoked or expired. Throws `UnavailableError`. */
  readonly find: (digest: string) => Promise<StoredToken<T> | null>;
  /** Whether a value depends on the grant, session or user with this id. */
  readonly dependsOn: (value: T, id: string) => boolean;
  /**
   * Whether the pod has applied every revocation up to `freshForMs` ago (`RevocationFreshness.isFresh`). Otherwise only
   * entries that were read within `freshForMs` are used without a new read.
   */
  readonly isFresh: () => boolean;
  readonly clock: Pick<Clock, 'now' | 'monotonicMs'>;
  /** How long an invalid token is cached as invalid. Default: 60 s. */
  readonly invalidTtlMs?: number;
}

/** A cache that must drop entries when a grant, session or user changes. */
export interface Evictable {
  /** Removes the entries that depend on the grant, session or user with this id. */
  evict(id: string): void;
  /**
   * Marks all entries as suspect, because a revocation may have been missed. A suspect entry is read again before its
   * next use. While the store is unavailable or does not respond within 1 s, it is used all the same.
   */
  suspectAll(): void;
}

/** What other parts of the pod ask and tell the cache about one token, by its digest. */
export interface TokenTrust {
  /** Whether the token has an entry that is not suspect, and the pod is fresh or read the entry within `freshForMs`. */
  isTrusted(digest: string): boolean;
  /** Removes an entry: another part of the pod found out that its token is no longer valid. */
  forget(digest: string): void;
}

/** Times are on the monotonic clock. */
interface Entry<T> {
  readonly value: T;
  /** When the read from the store started. */
  readonly readAtMs: number;
  readonly refreshAtMs: number;
  readonly expiresAtMs: number;
  /** When the token itself expires; Infinity: no end is set. */
  readonly validUntilMs: number;
  /** The token may have been revoked without this pod's knowledge. */
  readonly isSuspect: boolean;
}

/**
 * Caches what tokens stand for, by digest, for 60 s and never beyond a token's end. From 45 s on, a use refreshes the
 * entry in the background. For 15 s after an eviction, entries that depend on the evicted id live for 1 s, because the
 * store may have returned old data. After 60 s, an entry is used only while the store is unavailable or slow
 * (stale-if-error, RFC 5861).
 *
 * Example: a token is read at 0 s. A use at 50 s returns the entry and refreshes it. If the store is unavailable then,
 * the entry is used, with a new attempt every 5 s, until the token itself expires or is evicted.
 *
 * Invalid tokens are cached in a map of their own, so that a repeated guess causes no read for 60 s or until the next
 * eviction, and guesses displace no valid token. Each map holds at most 20 000 tokens. A read that started before an
 * eviction is not cached after it. At most 20 reads run at once; 2 000 more wait up to 1.8 s, and sources (such as
 * client networks) take turns.
 */
export class TokenCache<T> implements Evictable, TokenTrust {
  readonly #deps: TokenCacheDeps<T>;
  readonly #entries = new Map<string, Entry<T>>();
  /** Digests of invalid tokens, with the time until which they count as invalid. */
  readonly #invalidUntilMs = new Map<string, number>();
  readonly #storeReads = new Map<string, Promise<T | null>>();
  readonly #limitReads = createSemaphore(readLimits);
  /** The number of calls to `evict`, `forget` and `suspectAll` so far. A read during which it rises may be outdated. */
  #evictions = 0;
  /** The ids that were evicted within `maybeStaleForMs`, with the time of that. */
  readonly #evictedAtMs = new Map<string, number>();

  constructor(deps: TokenCacheDeps<T>) {
    this.#deps = deps;
  }

  /**
   * Returns what a cached token stands for, synchronously. Returns undefined if the store must be asked: there is no
   * entry, it is too old, or neither pod nor entry is fresh. Then call `resolve`. A suspect entry is returned only
   * within 5 s after a read of it has failed (`#extendEntry`).
   */
  recall(digest: string): T | undefined {
    const entry = this.#entries.get(digest);
    const nowMs = this.#deps.clock.monotonicMs();
    if (entry === undefined || nowMs >= entry.expiresAtMs || !this.#isFresh(entry)) return undefined;
    if (nowMs >= entry.refreshAtMs) this.#read(digest).catch(() => undefined);
    return entry.value;
  }

  /**
   * Returns what a token stands for, from the cache or the store. Null: the token is unknown, revoked or expired. An
   * entry that is due for a read is used if the store does not respond within 150 ms, or within 1 s if the entry is not
   * trusted (`isTrusted`). An entry that loses its trust during the 150 ms is not used: the caller waits for the read.
   *
   * Throws `UnavailableError` if the token has no entry and the store is unavailable or too many reads wait. Also
   * throws it if a caller that must wait for the read has no result after 1.8 s. `source` says who asks, for example a
   * client's network.
   */
  async resolve(digest: string, source?: string): Promise<T | null> {
    const recalled = this.recall(digest);
    if (recalled !== undefined) return recalled;
    if (this.#deps.clock.monotonicMs() < (this.#invalidUntilMs.get(digest) ?? 0)) return null;
    // The deadline covers both the wait for one of the 20 slots and the read.
    const read = withDeadline(this.#read(digest, source), requestDeadlineMs, readName);
    const entry = this.#findEntry(digest);
    if (entry === undefined) return read;
    const wasTrusted = this.#isTrustedEntry(entry);
    return withDeadline(read, wasTrusted ? trustedTimeoutMs : untrustedTimeoutMs, 'read a cached token again').catch(
      (error: unknown) => {
        if (!(error instanceof UnavailableError)) throw error;
        const currentEntry = this.#findEntry(digest);
        // The entry has lost its trust during the 150 ms: wait for the read instead.
        const hasLostTrust = currentEntry !== undefined && wasTrusted && !this.#isTrustedEntry(currentEntry);
        return currentEntry === undefined || hasLostTrust ? read : currentEntry.value;
      },
    );
  }

  isTrusted(digest: string): boolean {
    const entry = this.#findEntry(digest);
    return entry !== undefined && this.#isTrustedEntry(entry);
  }

  #isTrustedEntry(entry: Entry<T>): boolean {
    return !entry.isSuspect && this.#isFresh(entry);
  }

  /**
   * True if the pod has applied every revocation up to `freshForMs` ago, or if the entry was read within `freshForMs`.
   */
  #isFresh({ readAtMs }: Entry<T>): boolean {
    const { isFresh, clock } = this.#deps;
    return isFresh() || clock.monotonicMs() - readAtMs <= freshForMs;
  }

  /** Returns the entry of a token, even if it is older than 60 s, unless the token itself has expired. */
  #findEntry(digest: string): Entry<T> | undefined {
    const entry = this.#entries.get(digest);
    return entry !== undefined && this.#deps.clock.monotonicMs() < entry.validUntilMs ? entry : undefined;
  }

  evict(id: string): void {
    this.#startEviction();
    this.#evictedAtMs.delete(id);
    this.#evictedAtMs.set(id, this.#deps.clock.monotonicMs());
    dropOldest(this.#evictedAtMs, evictedIdsMax);
    for (const [digest, { value }] of this.#entries) {
      if (this.#deps.dependsOn(value, id)) this.#entries.delete(digest);
    }
  }

  forget(digest: string): void {
    // A read in progress may have started before the token became invalid.
    this.#evictions += 1;
    this.#entries.delete(digest);
  }

  suspectAll(): void {
    this.#startEviction();
    for (const [digest, entry] of this.#entries) {
      this.#entries.set(digest, { ...entry, expiresAtMs: 0, isSuspect: true });
    }
  }

  /**
   * Also forgets all invalid tokens, because a change, such as a later expiry, may have made one of them valid again.
   */
  #startEviction(): void {
    this.#evictions += 1;
    this.#invalidUntilMs.clear();
  }

  /** Concurrent callers with the same digest share one read. */
  #read(digest: string, source?: string): Promise<T | null> {
    const runningRead = this.#storeReads.get(digest);
    if (runningRead !== undefined) return runningRead;
    const read = this.#readStore(digest, source).finally(() => this.#storeReads.delete(digest));
    this.#storeReads.set(digest, read);
    return read;
  }

  async #readStore(digest: string, source?: string): Promise<T | null> {
    try {
      for (let attempt = 1; ; attempt += 1) {
        let evictions = 0;
        let readAtMs = 0;
        const stored = await this.#limitReads(() => {
          evictions = this.#evictions;
          readAtMs = this.#deps.clock.monotonicMs();
          return this.#deps.find(digest);
        }, source);
        if (evictions === this.#evictions) this.#cache(digest, stored, readAtMs);
        else if (attempt < readAttemptsMax) continue;
        // After the last attempt the result may be outdated, so it is not cached. The caller may still use it: a caller
        // waits 1.8 s at most, and a revocation may take 2 s to take effect.
        return stored?.value ?? null;
      }
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
      return this.#extendEntry(digest, error);
    }
  }

  #cache(digest: string, stored: StoredToken<T> | null, readAtMs: number): void {
    const { clock, invalidTtlMs = cacheTtlMs } = this.#deps;
    const nowMs = clock.monotonicMs();
    this.#entries.delete(digest);
    this.#invalidUntilMs.delete(digest);
    this.#forgetOldEvictions(nowMs);
    if (stored === null) {
      // An eviction may have made this token valid.
      this.#invalidUntilMs.set(digest, nowMs + (this.#evictedAtMs.size > 0 ? maybeStaleTtlMs : invalidTtlMs));
      dropOldest(this.#invalidUntilMs, invalidEntriesMax);
      return;
    }
    const { value, validUntil } = stored;
    const validUntilMs = validUntil === null ? Infinity : nowMs + (validUntil.getTime() - clock.now().getTime());
    const maybeStale = [...this.#evictedAtMs.keys()].some((id) => this.#deps.dependsOn(value, id));
    // An age counts from the read: a late answer is as old as its snapshot.
    const expiresAtMs = Math.min(maybeStale ? readAtMs + maybeStaleTtlMs : nowMs + cacheTtlMs, validUntilMs);
    const refreshAtMs = nowMs + refreshFromMs;
    this.#entries.set(digest, { value, readAtMs, refreshAtMs, expiresAtMs, validUntilMs, isSuspect: false });
    // A token in use is read about once a minute, and each read inserts it anew. So the oldest one is not in use.
    dropOldest(this.#entries, validEntriesMax);
  }

  /** Forgets evictions older than 15 s. The map is in the order of time. */
  #forgetOldEvictions(nowMs: number): void {
    for (const [id, evictedAtMs] of this.#evictedAtMs) {
      if (nowMs - evictedAtMs < maybeStaleForMs) return;
      this.#evictedAtMs.delete(id);
    }
  }

  /**
   * Called when the store is unavailable: extends the entry by 5 s and returns its value. Throws `error` if the token
   * has no entry or has itself expired.
   */
  #extendEntry(digest: string, error: UnavailableError): T {
    const entry = this.#entries.get(digest);
    const nowMs = this.#deps.clock.monotonicMs();
    if (entry === undefined || nowMs >= entry.validUntilMs) throw error;
    const retryAtMs = Math.min(nowMs + retryAfterMs, entry.validUntilMs);
    this.#entries.set(digest, { ...entry, refreshAtMs: retryAtMs, expiresAtMs: retryAtMs });
    return entry.value;
  }
}
