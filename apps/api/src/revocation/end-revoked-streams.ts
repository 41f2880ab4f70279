import type { Backend } from '@widget-service/shared/ports/backend.ts';
import type { ControlEntry, ControlLog } from '@widget-service/shared/ports/control-log.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import type { Logger } from '@widget-service/shared/runtime/logger.ts';
import { createPeriodicTask, type Task } from '@widget-service/shared/runtime/supervisor.ts';
import { type ControlReadResult, createControlLogFollower } from './control-log-follower.ts';
import { EntitlementChecks, type EntitlementChecksDeps, type OpenStreams } from './recheck-open-streams.ts';
import { RevocationFreshness } from './revocation-freshness.ts';
import { makeFindStreamEntitlement, makeRecheckEntitlement, type StreamHolder } from './stream-entitlement.ts';
import type { Evictable, TokenTrust } from './token-cache.ts';
import { createGrantTokenCache, createSessionCache, createStreamTokenCache } from './token-caches.ts';

export interface OpenRevocationsDeps {
  readonly backend: Pick<
    Backend,
    'control' | 'subscriptions' | 'integrations' | 'provisionTokens' | 'sessions' | 'users'
  >;
  readonly hub: OpenStreams;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
}

/** The pod's token caches, and `Revocations`. */
export type PodRevocations = ReturnType<typeof openRevocations>;

/**
 * Creates the pod's token caches and the tasks that keep the caches and the open streams in step with the stores.
 */
export function openRevocations({ backend, hub, clock, logger }: OpenRevocationsDeps) {
  const { control, subscriptions, integrations, provisionTokens, sessions, users } = backend;
  const entitlementDeps = { subscriptions, sessions, users, clock };
  const freshness = new RevocationFreshness(clock);
  const cacheDeps = { clock, isFresh: () => freshness.isFresh() };
  const caches = {
    streams: createStreamTokenCache({ ...entitlementDeps, ...cacheDeps }),
    hooks: createGrantTokenCache(integrations, cacheDeps),
    provisionTokens: createGrantTokenCache(provisionTokens, cacheDeps),
    sessions: createSessionCache({ ...entitlementDeps, ...cacheDeps }),
  };
  const lookUp = makeRecheckEntitlement({ find: makeFindStreamEntitlement(entitlementDeps), subscriptions, clock });
  return { caches, ...createRevocations({ control, caches, freshness, streams: hub, lookUp, clock, logger }) };
}

const checkIntervalMs = 1_000;
/** The longest wait for revocation freshness. An unavailable store must not keep clients from being served (ADR 15). */
const maxWaitMs = 3_000;
/** Long enough for the next read of the control log: a read that gets no entries takes half a second. */
const controlReadWaitMs = 700;

export interface RevocationsDeps extends Pick<EntitlementChecksDeps, 'streams' | 'lookUp'> {
  readonly control: Pick<ControlLog, 'openTail'>;
  /** The pod's token caches, by kind of grant. */
  readonly caches: {
    readonly streams: Evictable & TokenTrust;
    readonly hooks: Evictable;
    readonly provisionTokens: Evictable;
    readonly sessions: Evictable;
  };
  /** The time up to which the pod has applied every revocation. `createRevocations` advances it. */
  readonly freshness: RevocationFreshness;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
}

/** The pod's side of the control log. */
export interface Revocations {
  /** Two tasks: one follows the control log, one checks the entitlement of each open stream once a minute. */
  readonly tasks: readonly Task[];
  /**
   * A number that rises with every read of the control log that returns entries or says `mayHaveMissed`. A caller that
   * verified a stream token under an earlier number must verify it again before the stream joins: the entitlement may
   * have ended or changed.
   */
  generation(): number;
  /**
   * Resolves when the pod is fresh, or after 3 s. After 3 s, neither the control log nor the stores have confirmed the
   * revocations, and the pod serves its clients all the same. To be awaited before new events are sent. Never rejects.
   */
  waitUntilFresh(): Promise<void>;
  /** Whether the last read of the control log failed. */
  isControlUnreachable(): boolean;
}

/**
 * Applies the control log to this pod: evicts cached tokens, ends the streams of revoked grants and re-checks changed
 * entitlements (ADR 15).
 *
 * Example: subscription S is revoked. The next read of the control log returns an entry for S. The pod evicts the
 * tokens of S, ends its streams with `revoked` and advances its freshness to the start of that read. If the result says
 * `mayHaveMissed`, the pod suspects every cached token and re-checks every open stream in the stores.
 */
export function createRevocations(deps: RevocationsDeps): Revocations {
  const { streams, caches, freshness, clock, logger } = deps;
  const onFailure = (error: unknown) => logger.error({ err: error }, 'entitlements.check_failed');
  const checks = new EntitlementChecks({ ...deps, tokenCache: caches.streams, onFailure });
  const running = new Set<Promise<void>>();
  let generation = 0;
  /** How many full re-checks are in progress because entries may have been missed. One counts for at most 3 s. */
  let pendingRechecks = 0;

  /** Must stay synchronous: after it, no request uses what the caches held before. */
  function apply({ entries, mayHaveMissed }: ControlReadResult, readStartedAtMs: number): void {
    if (entries.length > 0 || mayHaveMissed) applyEntries(entries, mayHaveMissed);
    if (mayHaveMissed) void recheckAfterMiss();
    else if (pendingRechecks === 0) freshness.advanceTo(readStartedAtMs);
  }

  function applyEntries(entries: readonly ControlEntry[], mayHaveMissed: boolean): void {
    generation += 1;
    for (const { kind, id } of entries) for (const cache of selectCaches(caches, kind)) cache.evict(id);
    for (const { id } of entries.filter(({ kind }) => kind === 'stream')) streams.endById(id);
    if (mayHaveMissed) suspectAllTokens();
    const revoked = toHolderKeys(entries.filter(({ change }) => change === 'revoked'));
    if (revoked.size > 0)
      streams.reevaluate((entitlement) =>
        isAffected(entitlement.holder, revoked) ? { status: 'revoked' } : { status: 'ok', entitlement },
      );
    const changed = toHolderKeys(entries);
    const affected = [...streams.entitlements()].filter(({ holder }) => isAffected(holder, changed));
    trackCheck(checks.check(affected).then(() => undefined));
    logger.info({ entries: entries.length, mayHaveMissed, generation }, 'revocations.applied');
  }

  function suspectAllTokens(): void {
    for (const cache of Object.values(caches)) cache.suspectAll();
  }

  /**
   * Re-checks every open stream. While this is pending, reads of the control log do not advance the freshness. They do
   * again afterwards, even if the stores did not answer within 3 s.
   */
  async function recheckAfterMiss(): Promise<void> {
    pendingRechecks += 1;
    const timeout = new AbortController();
    const recheck = recheckAll();
    trackCheck(recheck);
    await Promise.race([recheck.catch(() => undefined), clock.sleep(maxWaitMs, timeout.signal)]);
    timeout.abort();
    pendingRechecks -= 1;
  }

  async function recheckAll(): Promise<void> {
    const startedAtMs = clock.monotonicMs();
    if (await checks.checkAll()) freshness.advanceTo(startedAtMs);
  }

  async function waitUntilFresh(): Promise<void> {
    if (freshness.isFresh()) return;
    const timeouts = new AbortController();
    const fresh = freshness.waitUntilFresh();
    const timedOut = clock.sleep(maxWaitMs, timeouts.signal);
    // A process that was only frozen gets the missing entries with its next read of the control log.
    if (!follower.isUnreachable()) await Promise.race([fresh, clock.sleep(controlReadWaitMs, timeouts.signal)]);
    // A re-check after a miss, if one is pending, advances the freshness too.
    if (!freshness.isFresh() && pendingRechecks === 0) trackCheck(recheckAll());
    await Promise.race([fresh, timedOut]);
    timeouts.abort();
  }

  /** Logs the failure of a check, and lets the task wait for the check when it stops. */
  function trackCheck(check: Promise<void>): void {
    const ended = check.catch(onFailure).finally(() => running.delete(ended));
    running.add(ended);
  }

  const follower = createControlLogFollower({
    ...deps,
    apply,
    // Revocations may go unnoticed until the control log answers again.
    onUnreachable: suspectAllTokens,
    finish: async () => {
      await Promise.all(running);
    },
  });
  const checkTask = createPeriodicTask(
    { name: 'entitlements', stores: ['documents'], everyMs: checkIntervalMs, clock, onError: onFailure },
    () => checks.checkDue(),
  );
  const { isUnreachable: isControlUnreachable } = follower;
  return { tasks: [follower, checkTask], generation: () => generation, waitUntilFresh, isControlUnreachable };
}

function selectCaches(caches: RevocationsDeps['caches'], kind: ControlEntry['kind']): readonly Evictable[] {
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
