import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import { createSemaphore } from '@widget-service/shared/runtime/semaphore.ts';
import type { EntitlementVerdict, StreamEntitlement } from './stream-entitlement.ts';
import type { TokenTrust } from './token-cache.ts';

const maxConcurrentLookUps = 20;
/** The most entitlements of one `check`. A check applies its verdicts only at its end, so it must not take long. */
const maxPerCheck = 2_000;
/** `checkDue` runs once a second, so each entitlement is checked within a minute. */
const checkEveryMs = 57_000;

/** The open streams of this pod, for revocations. The hub implements it. */
export interface OpenStreams {
  /** The entitlements of the open streams, each object once: streams may share one. */
  entitlements(): Iterable<StreamEntitlement>;
  /**
   * Calls `judge` once per entitlement object, and ends its streams or gives them the returned entitlement. Afterwards
   * nothing is written that the new entitlement does not allow.
   */
  reevaluate(judge: (entitlement: StreamEntitlement) => EntitlementVerdict): void;
  /** Ends one stream with `lifetime`, because an admin asked for it. Returns false if this pod does not have it. */
  endById(id: string): boolean;
}

export interface EntitlementChecksDeps {
  readonly streams: OpenStreams;
  /** Reads an entitlement from the stores. Throws `UnavailableError` if they do not answer. */
  readonly lookUp: (entitlement: StreamEntitlement) => Promise<EntitlementVerdict>;
  /** The cache of stream tokens that the stream route uses. */
  readonly tokenCache: TokenTrust;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** Called if `lookUp` throws anything but `UnavailableError`. The entitlement stays valid until its next check. */
  readonly onFailure: (error: unknown) => void;
  /** Returns a number from 0 to 1: spreads the first checks of streams that were opened together. */
  readonly random?: () => number;
}

/** Re-checks the entitlements of the pod's open streams in the stores and applies the verdicts through the hub. */
export class EntitlementChecks {
  readonly #deps: EntitlementChecksDeps;
  /** When each entitlement must be checked next, by key, on the monotonic clock. */
  #dueAtMs = new Map<string, number>();
  /**
   * For each entitlement that is being checked, the number of its latest check. Results of earlier checks are dropped.
   */
  readonly #latestCheck = new Map<string, number>();
  #checks = 0;

  constructor(deps: EntitlementChecksDeps) {
    this.#deps = deps;
  }

  /**
   * Checks every entitlement, in groups of 2 000. Results of earlier checks of the same entitlements are dropped, even
   * if they arrive later.
   *
   * Returns true if a verdict was applied for every entitlement (see `check`). It stops at the first group that returns
   * false; that group and the rest are due at once.
   */
  async checkAll(): Promise<boolean> {
    const entitlements = [...this.#deps.streams.entitlements()];
    for (let done = 0; done < entitlements.length; done += maxPerCheck) {
      if (await this.check(entitlements.slice(done, done + maxPerCheck))) continue;
      for (const entitlement of entitlements.slice(done)) this.#dueAtMs.set(entitlementKey(entitlement), 0);
      return false;
    }
    return true;
  }

  /**
   * Checks the entitlements that are due, at most 2 000. Call it once a second, and not before the last call has ended:
   * an overlapping call would make the results of the first outdated.
   */
  async checkDue(): Promise<void> {
    const nowMs = this.#deps.clock.monotonicMs();
    const dueAtMs = new Map<string, number>();
    const due: StreamEntitlement[] = [];
    for (const entitlement of this.#deps.streams.entitlements()) {
      const key = entitlementKey(entitlement);
      const atMs = this.#dueAtMs.get(key) ?? this.#firstDueAtMs(key, nowMs);
      if (atMs <= nowMs && !dueAtMs.has(key) && due.length < maxPerCheck) due.push(entitlement);
      dueAtMs.set(key, atMs);
    }
    // The new map leaves out entitlements without an open stream.
    this.#dueAtMs = dueAtMs;
    await this.check(due);
  }

  /**
   * Returns when a new entitlement is checked first. If its token is trusted: at a random time within `checkEveryMs`.
   * Otherwise at once, for example after the stream was opened on a suspect token while the store was unavailable.
   */
  #firstDueAtMs(key: string, nowMs: number): number {
    const { tokenCache, random = Math.random } = this.#deps;
    return tokenCache.isTrusted(key) ? nowMs + random() * checkEveryMs : nowMs;
  }

  /**
   * Checks these entitlements now, with at most 20 concurrent look-ups.
   *
   * An unavailable store ends no stream: the check starts no further look-ups and applies the verdicts that it has.
   * Entitlements without a result are due at once. A look-up that fails for another reason counts as `ok`.
   *
   * Returns true if it applied a verdict for each entitlement. Returns false if a store was unavailable, or if a later
   * check of one of them has started, which then decides about it.
   */
  async check(entitlements: Iterable<StreamEntitlement>): Promise<boolean> {
    this.#checks += 1;
    const check = this.#checks;
    const byKey = new Map(Array.from(entitlements, (entitlement) => [entitlementKey(entitlement), entitlement]));
    if (byKey.size === 0) return true;
    for (const key of byKey.keys()) this.#latestCheck.set(key, check);
    const verdicts = await this.#lookUpAll(byKey);
    return this.#applyVerdicts(check, byKey.keys(), verdicts) === byKey.size;
  }

  /**
   * Returns the verdicts by key. Entitlements that could not be read, because the store is unavailable, are missing.
   */
  async #lookUpAll(entitlements: ReadonlyMap<string, StreamEntitlement>): Promise<Map<string, EntitlementVerdict>> {
    const { lookUp, onFailure } = this.#deps;
    const limit = createSemaphore({ what: 'look up an entitlement', maxRunning: maxConcurrentLookUps });
    const verdicts = new Map<string, EntitlementVerdict>();
    let isStoreUnavailable = false;
    const judge = async (key: string, entitlement: StreamEntitlement) => {
      if (isStoreUnavailable) return;
      try {
        verdicts.set(key, await lookUp(entitlement));
      } catch (error) {
        if (error instanceof UnavailableError) isStoreUnavailable = true;
        else {
          onFailure(error);
          verdicts.set(key, { status: 'ok', entitlement });
        }
      }
    };
    await Promise.all(Array.from(entitlements, ([key, entitlement]) => limit(() => judge(key, entitlement))));
    return verdicts;
  }

  /** Applies the verdicts that are still current and returns how many these are. */
  #applyVerdicts(check: number, keys: Iterable<string>, verdicts: ReadonlyMap<string, EntitlementVerdict>): number {
    const current = new Map<string, EntitlementVerdict>();
    const nextMs = this.#deps.clock.monotonicMs() + checkEveryMs;
    for (const key of keys) {
      if (this.#latestCheck.get(key) !== check) continue;
      this.#latestCheck.delete(key);
      const verdict = verdicts.get(key);
      this.#dueAtMs.set(key, verdict === undefined ? 0 : nextMs);
      if (verdict === undefined) continue;
      current.set(key, verdict);
      if (verdict.status !== 'ok') this.#forget(key);
    }
    if (current.size > 0) {
      this.#deps.streams.reevaluate(
        (entitlement) => current.get(entitlementKey(entitlement)) ?? { status: 'ok', entitlement },
      );
    }
    return current.size;
  }

  /** Removes the token from the cache: otherwise a client could reconnect with it while the store is unavailable. */
  #forget(key: string): void {
    this.#deps.tokenCache.forget(key);
    this.#dueAtMs.delete(key);
  }
}

/** Streams that were opened with one token may hold different objects, but one check decides about all of them. */
function entitlementKey({ tokenDigest }: StreamEntitlement): string {
  return tokenDigest;
}
