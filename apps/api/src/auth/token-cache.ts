import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import { requestDeadlineMs, withDeadline } from '@widget-service/shared/runtime/deadline.ts';
import { createSemaphore } from '@widget-service/shared/runtime/semaphore.ts';
import { freshForMs } from './revocation-freshness.ts';

const keptForMs = 60_000;
/** A token in use is looked up again in the background from this age on, so that nobody waits for it. */
const refreshFromMs = 45_000;
/**
 * How long the store may think about a token that is known, and whose revocation would have been heard of: what is then
 * done with the right has to be answered within two seconds as well.
 */
const trustedTimeoutMs = 150;
/** The same for a token whose revocation may have gone by unheard: longer than a store takes that is only busy. */
const suspectTimeoutMs = 1_000;
/** How long the store is left alone with a token after it could not be asked. */
const retryAfterMs = 5_000;
const knownMax = 20_000;
const unknownMax = 20_000;
/** An answer that was overtaken by an eviction is asked for again, but not for ever. */
const maxTries = 3;
const lookUpLimits = {
  what: 'look a token up',
  maxRunning: 20,
  maxWaiting: 2_000,
  maxWaitMs: requestDeadlineMs,
} as const;

export interface FoundToken<T> {
  readonly value: T;
  /** From when on the token is no longer good; null: no such time is known yet. */
  readonly validUntil: Date | null;
}

export interface TokenCacheDeps<T> {
  /** What is stored for a token, by its digest; null for one that is not good (any more). */
  readonly find: (digest: string) => Promise<FoundToken<T> | null>;
  /** Whether a value hangs on the right that has this id. */
  readonly concerns: (value: T, id: string) => boolean;
  /** Whether all was evicted that was revoked, up to `currentForMs` ago: nothing older is served from memory otherwise. */
  readonly isFresh: () => boolean;
  readonly clock: Pick<Clock, 'now' | 'monotonicMs'>;
}

/** Something that remembers rights, and is told when they change. */
export interface Evictable {
  /** Forgets what hangs on the right that has this id. */
  evict(id: string): void;
  /**
   * Has everything asked for again before it is used. While the store cannot be asked or hangs, what was known stays
   * known.
   */
  suspectAll(): void;
}

/** What is remembered of single tokens, by their digests. */
export interface TokenTrust {
  /** Whether what is remembered of it is beyond doubt. */
  isTrusted(digest: string): boolean;
  /** Has it asked for again before it is used: it was found, by somebody else, to be good no more. */
  forget(digest: string): void;
}

interface Entry<T> {
  readonly value: T;
  /** When the store was asked. */
  readonly askedAtMs: number;
  readonly refreshAtMs: number;
  readonly expiresAtMs: number;
  /** When the token itself ends. */
  readonly validUntilMs: number;
  /** It may have been revoked unheard. */
  readonly isSuspect: boolean;
}

/**
 * What tokens stand for, remembered for a minute, and no longer than they are good. While the store cannot be asked,
 * what was known stays known. Tokens that stand for nothing are remembered too, apart, so that guessing neither reaches
 * the store twice nor displaces what is known. Nothing that was read before an eviction is remembered after it.
 */
export class TokenCache<T> implements Evictable, TokenTrust {
  readonly #deps: TokenCacheDeps<T>;
  readonly #known = new Map<string, Entry<T>>();
  /** Digest to the time until which it is taken for unknown. */
  readonly #unknown = new Map<string, number>();
  readonly #lookUps = new Map<string, Promise<T | null>>();
  readonly #limit = createSemaphore(lookUpLimits);
  /** How many there have been. */
  #evictions = 0;

  constructor(deps: TokenCacheDeps<T>) {
    this.#deps = deps;
  }

  /** What the digest is known to stand for without asking anybody; undefined when somebody must be asked. */
  recall(digest: string): T | undefined {
    const entry = this.#known.get(digest);
    const nowMs = this.#deps.clock.monotonicMs();
    if (entry === undefined || nowMs >= entry.expiresAtMs || !this.#isFresh(entry)) return undefined;
    if (nowMs >= entry.refreshAtMs) this.#lookUp(digest).catch(() => undefined);
    return entry.value;
  }

  /** Null when the digest stands for nothing. Throws `UnavailableError` when that cannot be found out. */
  async resolve(digest: string): Promise<T | null> {
    const recalled = this.recall(digest);
    if (recalled !== undefined) return recalled;
    if (this.#deps.clock.monotonicMs() < (this.#unknown.get(digest) ?? 0)) return null;
    // Its turn may come late, and the store be slow then.
    const lookUp = withDeadline(this.#lookUp(digest), requestDeadlineMs, 'look a token up');
    const known = this.#findValid(digest);
    if (known === undefined) return lookUp;
    const isSure = this.#isTrustedEntry(known);
    return withDeadline(lookUp, isSure ? trustedTimeoutMs : suspectTimeoutMs, 'look a known token up').catch(
      (error: unknown) => {
        if (!(error instanceof UnavailableError)) throw error;
        const stillKnown = this.#findValid(digest);
        const cameIntoDoubt = stillKnown !== undefined && isSure && !this.#isTrustedEntry(stillKnown);
        return stillKnown === undefined || cameIntoDoubt ? lookUp : stillKnown.value;
      },
    );
  }

  isTrusted(digest: string): boolean {
    const known = this.#findValid(digest);
    return known !== undefined && this.#isTrustedEntry(known);
  }

  #isTrustedEntry(entry: Entry<T>): boolean {
    return !entry.isSuspect && this.#isFresh(entry);
  }

  /** By what was heard of revocations, or because it was read just now. */
  #isFresh({ askedAtMs }: Entry<T>): boolean {
    const { isFresh, clock } = this.#deps;
    return isFresh() || clock.monotonicMs() - askedAtMs <= freshForMs;
  }

  #findValid(digest: string): Entry<T> | undefined {
    const known = this.#known.get(digest);
    return known !== undefined && this.#deps.clock.monotonicMs() < known.validUntilMs ? known : undefined;
  }

  evict(id: string): void {
    this.#forgetUnknown();
    for (const [digest, { value }] of this.#known) {
      if (this.#deps.concerns(value, id)) this.#known.delete(digest);
    }
  }

  forget(digest: string): void {
    // What is being looked up may have been read before that.
    this.#evictions += 1;
    this.#known.delete(digest);
  }

  suspectAll(): void {
    this.#forgetUnknown();
    for (const [digest, entry] of this.#known) this.#known.set(digest, { ...entry, expiresAtMs: 0, isSuspect: true });
  }

  /** A token whose end was put off is good again; which ones those are is not known here. */
  #forgetUnknown(): void {
    this.#evictions += 1;
    this.#unknown.clear();
  }

  /** Everyone who asks for one digest at the same time shares one look-up. */
  #lookUp(digest: string): Promise<T | null> {
    const running = this.#lookUps.get(digest);
    if (running !== undefined) return running;
    const lookUp = this.#askStore(digest).finally(() => this.#lookUps.delete(digest));
    this.#lookUps.set(digest, lookUp);
    return lookUp;
  }

  async #askStore(digest: string): Promise<T | null> {
    try {
      for (let tries = 1; ; tries += 1) {
        let evictions = 0;
        let askedAtMs = 0;
        const found = await this.#limit(() => {
          evictions = this.#evictions;
          askedAtMs = this.#deps.clock.monotonicMs();
          return this.#deps.find(digest);
        });
        if (evictions === this.#evictions) this.#remember(digest, found, askedAtMs);
        else if (tries < maxTries) continue;
        return found?.value ?? null;
      }
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
      return this.#extendKnown(digest, error);
    }
  }

  #remember(digest: string, found: FoundToken<T> | null, askedAtMs: number): void {
    const { clock } = this.#deps;
    const nowMs = clock.monotonicMs();
    this.#known.delete(digest);
    this.#unknown.delete(digest);
    if (found === null) {
      this.#unknown.set(digest, nowMs + keptForMs);
      dropOldest(this.#unknown, unknownMax);
      return;
    }
    const { value, validUntil } = found;
    const validUntilMs = validUntil === null ? Infinity : nowMs + (validUntil.getTime() - clock.now().getTime());
    const expiresAtMs = Math.min(nowMs + keptForMs, validUntilMs);
    const refreshAtMs = nowMs + refreshFromMs;
    this.#known.set(digest, { value, askedAtMs, refreshAtMs, expiresAtMs, validUntilMs, isSuspect: false });
    dropOldest(this.#known, knownMax);
  }

  /** The store cannot be asked: a known token stays known, unless it has ended meanwhile. */
  #extendKnown(digest: string, error: UnavailableError): T {
    const known = this.#known.get(digest);
    const nowMs = this.#deps.clock.monotonicMs();
    if (known === undefined || nowMs >= known.validUntilMs) throw error;
    const retryAtMs = Math.min(nowMs + retryAfterMs, known.validUntilMs);
    this.#known.set(digest, { ...known, refreshAtMs: retryAtMs, expiresAtMs: retryAtMs });
    return known.value;
  }
}

/** A map gives its keys in the order they were set; a token in use is set anew every minute. */
function dropOldest(map: Map<string, unknown>, max: number): void {
  if (map.size <= max) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}
