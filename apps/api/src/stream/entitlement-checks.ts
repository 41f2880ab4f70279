import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import type { EntitlementDecision, StreamEntitlement } from '../auth/stream-entitlement.ts';
import type { TokenTrust } from '../auth/token-cache.ts';
import type { Hub } from './hub.ts';

const lookUpsAtOnce = 20;
/** Rights per turn: one turn must not take long, so that what it found is carried out soon. */
const turnMax = 2_000;
/** With a turn a second, every right is looked up again within a minute. */
const checkEveryMs = 57_000;

export interface EntitlementChecksDeps {
  readonly streams: Pick<Hub, 'entitlements' | 'reevaluate'>;
  /** Throws `UnavailableError` when it cannot be found out. */
  readonly lookUp: (right: StreamEntitlement) => Promise<EntitlementDecision>;
  /** What the pod remembers of stream tokens: streams are opened by it. */
  readonly memory: TokenTrust;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** Told of a look-up that failed for any other reason; its right stays as it is until the next. */
  readonly onFailure: (error: unknown) => void;
  /** Between 0 and 1: spreads the first checks of streams that were opened together. */
  readonly random?: () => number;
}

/** Looks the rights of the pod's open streams up again, and has the hub carry out what comes of it. */
export class EntitlementChecks {
  readonly #deps: EntitlementChecksDeps;
  /** When each right that open streams stand on is to be looked up again. */
  #dueAtMs = new Map<string, number>();
  /** Per right that is being looked up: the check that began last. What an earlier one found is outdated. */
  readonly #latest = new Map<string, number>();
  #checks = 0;

  constructor(deps: EntitlementChecksDeps) {
    this.#deps = deps;
  }

  /**
   * Looks every right up anew, also those that are being looked up just now: what that finds is outdated. True as of
   * `check`; what could not be looked up is due at the next turns.
   */
  async checkAll(): Promise<boolean> {
    const rights = [...this.#deps.streams.entitlements()];
    for (let done = 0; done < rights.length; done += turnMax) {
      if (await this.check(rights.slice(done, done + turnMax))) continue;
      for (const right of rights.slice(done)) this.#dueAtMs.set(entitlementKey(right), 0);
      return false;
    }
    return true;
  }

  /** One turn of the checks that go round all the time: of what is due, as much as one turn may take. */
  async checkDue(): Promise<void> {
    const nowMs = this.#deps.clock.monotonicMs();
    const dueAtMs = new Map<string, number>();
    const due: StreamEntitlement[] = [];
    for (const right of this.#deps.streams.entitlements()) {
      const key = entitlementKey(right);
      const atMs = this.#dueAtMs.get(key) ?? this.#firstDueAtMs(key, nowMs);
      if (atMs <= nowMs && !dueAtMs.has(key) && due.length < turnMax) due.push(right);
      dueAtMs.set(key, atMs);
    }
    // Those that no open stream stands on any more are left out.
    this.#dueAtMs = dueAtMs;
    await this.check(due);
  }

  /** Who was let in while the store could not be asked is looked up as soon as it can. */
  #firstDueAtMs(key: string, nowMs: number): number {
    const { memory, random = Math.random } = this.#deps;
    return memory.isTrusted(key) ? nowMs + random() * checkEveryMs : nowMs;
  }

  /**
   * Looks these up now. A store that is away changes nothing: it is asked no further, and the rest is due again at the
   * next turn. True when what was found of each was carried out: false also when another check has overtaken this one.
   */
  async check(rights: Iterable<StreamEntitlement>): Promise<boolean> {
    this.#checks += 1;
    const check = this.#checks;
    const byKey = new Map(Array.from(rights, (right) => [entitlementKey(right), right]));
    if (byKey.size === 0) return true;
    for (const key of byKey.keys()) this.#latest.set(key, check);
    const found = await this.#lookUpAll(byKey);
    return this.#applyFindings(check, byKey.keys(), found) === byKey.size;
  }

  /** What could be found out, at most so many look-ups at once. */
  async #lookUpAll(rights: ReadonlyMap<string, StreamEntitlement>): Promise<Map<string, EntitlementDecision>> {
    const { lookUp, onFailure } = this.#deps;
    const found = new Map<string, EntitlementDecision>();
    const left = rights.entries();
    let isAway = false;
    const lane = async () => {
      for (const [key, right] of left) {
        if (isAway) return;
        try {
          found.set(key, await lookUp(right));
        } catch (error) {
          if (error instanceof UnavailableError) isAway = true;
          else {
            onFailure(error);
            found.set(key, right);
          }
        }
      }
    };
    await Promise.all(Array.from({ length: Math.min(lookUpsAtOnce, rights.size) }, lane));
    return found;
  }

  /** Returns for how many there was something to carry out. */
  #applyFindings(check: number, keys: Iterable<string>, found: ReadonlyMap<string, EntitlementDecision>): number {
    const decisions = new Map<string, EntitlementDecision>();
    const nextMs = this.#deps.clock.monotonicMs() + checkEveryMs;
    for (const key of keys) {
      if (this.#latest.get(key) !== check) continue;
      this.#latest.delete(key);
      const decision = found.get(key);
      this.#dueAtMs.set(key, decision === undefined ? 0 : nextMs);
      if (decision === undefined) continue;
      decisions.set(key, decision);
      if (decision === 'revoked' || decision === 'expired') this.#forget(key);
    }
    if (decisions.size > 0) this.#deps.streams.reevaluate((right) => decisions.get(entitlementKey(right)) ?? right);
    return decisions.size;
  }

  /** Otherwise its client could come back on what was remembered, while the store cannot be asked. */
  #forget(key: string): void {
    this.#deps.memory.forget(key);
    this.#dueAtMs.delete(key);
  }
}

/** One token is one right, however many streams were opened with it. */
function entitlementKey({ tokenDigest }: StreamEntitlement): string {
  return tokenDigest;
}
