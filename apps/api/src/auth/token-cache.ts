import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import { createConcurrencyLimit } from '@widget-service/shared/runtime/concurrency-limit.ts';

const keptForMs = 60_000;
/** A token in use is looked up again in the background from this age on, so that nobody waits for it. */
const refreshFromMs = 45_000;
/** How long the store is left alone with a token after it could not be asked. */
const retryAfterMs = 5_000;
const knownMax = 20_000;
const unknownMax = 20_000;
const lookUpLimits = { what: 'look a token up', maxRunning: 20, maxWaiting: 2_000, maxWaitMs: 2_000 } as const;

export interface TokenCacheDeps<T> {
  readonly find: (digest: string) => Promise<T | null>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

interface Entry<T> {
  readonly value: T;
  readonly refreshAtMs: number;
  readonly expiresAtMs: number;
}

/**
 * What tokens stand for, remembered for a minute. While the store cannot be asked, what was known stays known. Tokens
 * that stand for nothing are remembered too, apart, so that guessing neither reaches the store twice nor displaces
 * what is known.
 */
export class TokenCache<T> {
  readonly #find: (digest: string) => Promise<T | null>;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #known = new Map<string, Entry<T>>();
  /** Digest to the time until which it is taken for unknown. */
  readonly #unknown = new Map<string, number>();
  readonly #lookUps = new Map<string, Promise<T | null>>();
  readonly #limit = createConcurrencyLimit(lookUpLimits);

  constructor({ find, clock }: TokenCacheDeps<T>) {
    this.#find = find;
    this.#clock = clock;
  }

  /** What the digest is known to stand for without asking anybody; undefined when somebody must be asked. */
  recall(digest: string): T | undefined {
    const entry = this.#known.get(digest);
    const nowMs = this.#clock.monotonicMs();
    if (entry === undefined || nowMs >= entry.expiresAtMs) return undefined;
    if (nowMs >= entry.refreshAtMs) this.#lookUp(digest).catch(() => undefined);
    return entry.value;
  }

  /** Null when the digest stands for nothing. Throws `UnavailableError` when that cannot be found out. */
  async resolve(digest: string): Promise<T | null> {
    const recalled = this.recall(digest);
    if (recalled !== undefined) return recalled;
    if (this.#clock.monotonicMs() < (this.#unknown.get(digest) ?? 0)) return null;
    return this.#lookUp(digest);
  }

  /** Everyone who asks for one digest at the same time shares one look-up. */
  #lookUp(digest: string): Promise<T | null> {
    const running = this.#lookUps.get(digest);
    if (running !== undefined) return running;
    const lookUp = this.#ask(digest).finally(() => this.#lookUps.delete(digest));
    this.#lookUps.set(digest, lookUp);
    return lookUp;
  }

  async #ask(digest: string): Promise<T | null> {
    try {
      const value = await this.#limit(() => this.#find(digest));
      this.#remember(digest, value);
      return value;
    } catch (error) {
      const stale = this.#known.get(digest);
      if (stale === undefined || !(error instanceof UnavailableError)) throw error;
      const retryAtMs = this.#clock.monotonicMs() + retryAfterMs;
      this.#known.set(digest, { value: stale.value, refreshAtMs: retryAtMs, expiresAtMs: retryAtMs });
      return stale.value;
    }
  }

  #remember(digest: string, value: T | null): void {
    const nowMs = this.#clock.monotonicMs();
    this.#known.delete(digest);
    this.#unknown.delete(digest);
    if (value === null) {
      this.#unknown.set(digest, nowMs + keptForMs);
      dropOldest(this.#unknown, unknownMax);
    } else {
      this.#known.set(digest, { value, refreshAtMs: nowMs + refreshFromMs, expiresAtMs: nowMs + keptForMs });
      dropOldest(this.#known, knownMax);
    }
  }
}

/** A map gives its keys in the order they were set; a token in use is set anew every minute. */
function dropOldest(map: Map<string, unknown>, max: number): void {
  if (map.size <= max) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}
