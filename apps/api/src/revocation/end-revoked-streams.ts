import type { Backend } from '@widget-service/shared/ports/backend.ts';
import type { ControlEntry, ControlLog } from '@widget-service/shared/ports/control-log.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import type { Logger } from '@widget-service/shared/runtime/logger.ts';
import { createPeriodicTask, type Task } from '@widget-service/shared/runtime/supervisor.ts';
import { ControlLogFollower, type ControlReadResult } from './control-log-follower.ts';
import { EntitlementChecks, type EntitlementChecksDeps, type OpenStreams } from './recheck-open-streams.ts';
import { RevocationFreshness } from './revocation-freshness.ts';
import { recheckEntitlement, type StreamEntitlement, type StreamHolder } from './stream-entitlement.ts';
import type { Evictable, TokenTrust } from './token-cache.ts';
import { createGrantTokenCache, createSessionCache, createStreamTokenCache } from './token-caches.ts';

export type PodRevocations = ReturnType<typeof openRevocations>;

/** Creates the pod's token caches, and the tasks that apply revocations to the caches and the open streams. */
export function openRevocations(
  backend: Pick<Backend, 'control' | 'subscriptions' | 'integrations' | 'provisionTokens' | 'sessions' | 'users'>,
  streams: OpenStreams,
  clock: Clock,
  logger: Pick<Logger, 'info' | 'warn' | 'error'>,
) {
  const freshness = new RevocationFreshness(clock);
  const isFresh = () => freshness.isFresh();
  const caches = {
    streams: createStreamTokenCache(backend, clock, isFresh),
    hooks: createGrantTokenCache(backend.integrations, clock, isFresh),
    provisionTokens: createGrantTokenCache(backend.provisionTokens, clock, isFresh),
    sessions: createSessionCache(backend, clock, isFresh),
  };
  const lookUp = (entitlement: StreamEntitlement) => recheckEntitlement(backend, clock, entitlement);
  return new Revocations({ control: backend.control, caches, freshness, streams, lookUp, clock, logger });
}

const checkIntervalMs = 1_000;
/** The longest wait for revocation freshness: an unavailable store must not stop all service (ADR 15). */
const maxWaitMs = 3_000;
/** Long enough for the next read of the control log, which blocks for half a second if there are no entries. */
const controlReadWaitMs = 700;

/** The pod's token caches, by what their tokens stand for. */
interface EvictableCaches {
  readonly streams: Evictable & TokenTrust;
  readonly hooks: Evictable;
  readonly provisionTokens: Evictable;
  readonly sessions: Evictable;
}

export interface RevocationsDeps<Caches> extends Pick<EntitlementChecksDeps, 'streams' | 'lookUp'> {
  readonly control: Pick<ControlLog, 'openTail'>;
  readonly caches: Caches;
  /** Tells whether the pod has applied all recent revocations. `Revocations` advances it. */
  readonly freshness: RevocationFreshness;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
}

/**
 * Applies the control log to this pod: evicts cached tokens, ends the streams of revoked grants and re-checks changed
 * entitlements (ADR 15).
 *
 * Example: subscription S is revoked. The next read of the control log returns an entry for S. The pod evicts the
 * tokens of S, ends its streams with `revoked` and advances its freshness to the start of that read. If the result says
 * `mayHaveMissed`, the pod suspects every cached token and re-checks every open stream in the stores.
 */
export class Revocations<Caches extends EvictableCaches> {
  readonly caches: Caches;
  /** Two tasks: one follows the control log, one checks the entitlement of each open stream once a minute. */
  readonly tasks: readonly Task[];
  readonly #deps: RevocationsDeps<Caches>;
  readonly #checks: EntitlementChecks;
  readonly #follower: ControlLogFollower;
  readonly #running = new Set<Promise<void>>();
  #generation = 0;
  /** How many full re-checks are running because entries may have been missed. Each counts for at most 3 s. */
  #pendingRechecks = 0;

  constructor(deps: RevocationsDeps<Caches>) {
    this.#deps = deps;
    this.caches = deps.caches;
    const { control, caches, clock, logger } = deps;
    const onError = this.#logFailure.bind(this);
    this.#checks = new EntitlementChecks({ ...deps, tokenCache: caches.streams, onFailure: onError });
    const listener = {
      apply: this.#apply.bind(this),
      // Until the control log answers again, the pod does not hear of revocations.
      onUnreachable: this.#suspectAllTokens.bind(this),
      finish: async () => void (await Promise.all(this.#running)),
    };
    this.#follower = new ControlLogFollower(control, listener, clock, logger);
    const checkTask = createPeriodicTask(
      { name: 'entitlements', stores: ['documents'], everyMs: checkIntervalMs, clock, onError },
      () => this.#checks.checkDue(),
    );
    this.tasks = [this.#follower, checkTask];
  }

  /**
   * A number that rises whenever an entitlement may have changed. A caller that verified a stream token under an
   * earlier number must verify it again before the stream joins the hub.
   */
  generation(): number {
    return this.#generation;
  }

  /** Whether the last read of the control log failed. */
  isControlUnreachable(): boolean {
    return this.#follower.isUnreachable;
  }

  /**
   * Resolves when the pod is fresh: it has applied all recent revocations. Resolves after 3 s in any case, when neither
   * the control log nor the stores have answered. Await it before new events are sent. Never rejects.
   */
  async waitUntilFresh(): Promise<void> {
    const { freshness, clock } = this.#deps;
    if (freshness.isFresh()) return;
    const timeouts = new AbortController();
    const fresh = freshness.waitUntilFresh();
    const timedOut = clock.sleep(maxWaitMs, timeouts.signal);
    // If the process was only frozen, its next read of the control log brings the missing entries.
    if (!this.#follower.isUnreachable) await Promise.race([fresh, clock.sleep(controlReadWaitMs, timeouts.signal)]);
    // A pending re-check also advances the freshness.
    if (!freshness.isFresh() && this.#pendingRechecks === 0) this.#trackCheck(this.#recheckAll());
    await Promise.race([fresh, timedOut]);
    timeouts.abort();
  }

  /** Must stay synchronous, so that no request uses an outdated cache entry after it. */
  #apply({ entries, mayHaveMissed }: ControlReadResult, readStartedAtMs: number): void {
    if (entries.length > 0 || mayHaveMissed) this.#applyEntries(entries, mayHaveMissed);
    if (mayHaveMissed) void this.#recheckAfterMiss();
    else if (this.#pendingRechecks === 0) this.#deps.freshness.advanceTo(readStartedAtMs);
  }

  #applyEntries(entries: readonly ControlEntry[], mayHaveMissed: boolean): void {
    const { streams, caches, logger } = this.#deps;
    this.#generation += 1;
    for (const { kind, id } of entries) for (const cache of selectCaches(caches, kind)) cache.evict(id);
    for (const { id } of entries.filter(({ kind }) => kind === 'stream')) streams.endById(id);
    if (mayHaveMissed) this.#suspectAllTokens();
    const revoked = toHolderKeys(entries.filter(({ change }) => change === 'revoked'));
    if (revoked.size > 0)
      streams.reevaluate((entitlement) =>
        isAffected(entitlement.holder, revoked) ? { status: 'revoked' } : { status: 'ok', entitlement },
      );
    const changed = toHolderKeys(entries);
    const affected = [...streams.entitlements()].filter(({ holder }) => isAffected(holder, changed));
    this.#trackCheck(this.#checks.check(affected).then(() => undefined));
    logger.info({ entries: entries.length, mayHaveMissed, generation: this.#generation }, 'revocations.applied');
  }

  #suspectAllTokens(): void {
    const { caches } = this;
    for (const cache of [caches.streams, caches.hooks, caches.provisionTokens, caches.sessions]) cache.suspectAll();
  }

  /**
   * Re-checks every open stream. Until it ends, for 3 s at most, reads of the control log do not advance the freshness.
   */
  async #recheckAfterMiss(): Promise<void> {
    this.#pendingRechecks += 1;
    const timeout = new AbortController();
    const recheck = this.#recheckAll();
    this.#trackCheck(recheck);
    await Promise.race([recheck.catch(() => undefined), this.#deps.clock.sleep(maxWaitMs, timeout.signal)]);
    timeout.abort();
    this.#pendingRechecks -= 1;
  }

  async #recheckAll(): Promise<void> {
    const startedAtMs = this.#deps.clock.monotonicMs();
    if (await this.#checks.checkAll()) this.#deps.freshness.advanceTo(startedAtMs);
  }

  /** Logs the failure of a check. The task waits for all tracked checks when it stops. */
  #trackCheck(check: Promise<void>): void {
    const ended = check.catch((error) => this.#logFailure(error)).finally(() => this.#running.delete(ended));
    this.#running.add(ended);
  }

  #logFailure(error: unknown): void {
    this.#deps.logger.error({ err: error }, 'entitlements.check_failed');
  }
}

function selectCaches(caches: EvictableCaches, kind: ControlEntry['kind']): readonly Evictable[] {
  if (kind === 'integration') return [caches.hooks];
  if (kind === 'provision-token') return [caches.provisionTokens];
  if (kind === 'stream') return [];
  return kind === 'subscription' ? [caches.streams] : [caches.streams, caches.sessions];
}

type HolderReference = Pick<ControlEntry, 'kind' | 'id'>;

const toHolderKey = ({ kind, id }: HolderReference): string => `${kind} ${id}`;

function toHolderKeys(entries: readonly ControlEntry[]): ReadonlySet<string> {
  return new Set(entries.map(toHolderKey));
}

/** Whether the entries name the holder, or the user of a session. */
function isAffected(holder: StreamHolder, keys: ReadonlySet<string>): boolean {
  if (keys.has(toHolderKey(holder))) return true;
  return holder.kind === 'session' && keys.has(toHolderKey({ kind: 'user', id: holder.userId }));
}
