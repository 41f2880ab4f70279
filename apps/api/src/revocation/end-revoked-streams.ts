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

/**
 * Creates the pod's token caches and the tasks that keep the caches and the open streams in step with the stores.
 */
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
/** The longest wait for revocation freshness. An unavailable store must not keep clients from being served (ADR 15). */
const maxWaitMs = 3_000;
/** Long enough for the next read of the control log: a read that gets no entries takes half a second. */
const controlReadWaitMs = 700;

/** The pod's token caches, by kind of grant. */
interface EvictableCaches {
  readonly streams: Evictable & TokenTrust;
  readonly hooks: Evictable;
  readonly provisionTokens: Evictable;
  readonly sessions: Evictable;
}

export interface RevocationsDeps<Caches> extends Pick<EntitlementChecksDeps, 'streams' | 'lookUp'> {
  readonly control: Pick<ControlLog, 'openTail'>;
  readonly caches: Caches;
  /** The time up to which the pod has applied every revocation. `Revocations` advances it. */
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
  /** How many full re-checks are in progress because entries may have been missed. One counts for at most 3 s. */
  #pendingRechecks = 0;

  constructor(deps: RevocationsDeps<Caches>) {
    this.#deps = deps;
    this.caches = deps.caches;
    const { control, caches, clock, logger } = deps;
    const onError = this.#logFailure.bind(this);
    this.#checks = new EntitlementChecks({ ...deps, tokenCache: caches.streams, onFailure: onError });
    const listener = {
      apply: this.#apply.bind(this),
      // Revocations may go unnoticed until the control log answers again.
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
   * A number that rises with every read of the control log that returns entries or says `mayHaveMissed`. A caller that
   * verified a stream token under an earlier number must verify it again before the stream joins: the entitlement may
   * have ended or changed.
   */
  generation(): number {
    return this.#generation;
  }

  /** Whether the last read of the control log failed. */
  isControlUnreachable(): boolean {
    return this.#follower.isUnreachable;
  }

  /**
   * Resolves when the pod is fresh, or after 3 s. After 3 s, neither the control log nor the stores have confirmed the
   * revocations, and the pod serves its clients all the same. To be awaited before new events are sent. Never rejects.
   */
  async waitUntilFresh(): Promise<void> {
    const { freshness, clock } = this.#deps;
    if (freshness.isFresh()) return;
    const timeouts = new AbortController();
    const fresh = freshness.waitUntilFresh();
    const timedOut = clock.sleep(maxWaitMs, timeouts.signal);
    // A process that was only frozen gets the missing entries with its next read of the control log.
    if (!this.#follower.isUnreachable) await Promise.race([fresh, clock.sleep(controlReadWaitMs, timeouts.signal)]);
    // A re-check after a miss, if one is pending, advances the freshness too.
    if (!freshness.isFresh() && this.#pendingRechecks === 0) this.#trackCheck(this.#recheckAll());
    await Promise.race([fresh, timedOut]);
    timeouts.abort();
  }

  /** Must stay synchronous: after it, no request uses what the caches held before. */
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
   * Re-checks every open stream. While this is pending, reads of the control log do not advance the freshness. They do
   * again afterwards, even if the stores did not answer within 3 s.
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

  /** Logs the failure of a check, and lets the task wait for the check when it stops. */
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
