import type { Backend } from '@widget-service/shared/ports/backend.ts';
import type { ControlEntry, ControlLog } from '@widget-service/shared/ports/control-log.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import type { Logger } from '@widget-service/shared/runtime/logger.ts';
import { createPeriodicTask, type Task } from '@widget-service/shared/runtime/supervisor.ts';
import { createGrantCache } from '../auth/grant-cache.ts';
import { RevocationFreshness } from '../auth/revocation-freshness.ts';
import {
  createStreamEntitlementCache,
  makeFindStreamEntitlement,
  makeLookUpEntitlement,
  type StreamHolder,
} from '../auth/stream-entitlement.ts';
import type { Evictable, TokenTrust } from '../auth/token-cache.ts';
import { type ControlBatch, createControlLogFollower } from './control-log-follower.ts';
import { EntitlementChecks, type EntitlementChecksDeps } from './entitlement-checks.ts';
import type { Hub } from './hub.ts';

export interface OpenRevocationsDeps {
  readonly backend: Pick<
    Backend,
    'control' | 'subscriptions' | 'integrations' | 'provisionTokens' | 'personalStreams' | 'sessions' | 'users'
  >;
  readonly hub: Pick<Hub, 'entitlements' | 'reevaluate'>;
  readonly sessionIdleMs: number;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
}

export type PodRevocations = ReturnType<typeof openRevocations>;

/** What the pod remembers of tokens, together with the tasks that keep it, and the open streams, in step with the stores. */
export function openRevocations({ backend, hub, sessionIdleMs, clock, logger }: OpenRevocationsDeps) {
  const { control, subscriptions, integrations, provisionTokens, personalStreams, sessions, users } = backend;
  const rightDeps = { subscriptions, personalStreams, sessions, users, clock, sessionIdleMs };
  const freshness = new RevocationFreshness(clock);
  const cacheDeps = { clock, isFresh: () => freshness.isFresh() };
  const caches = {
    streams: createStreamEntitlementCache({ ...rightDeps, ...cacheDeps }),
    hooks: createGrantCache(integrations, cacheDeps),
    provisionTokens: createGrantCache(provisionTokens, cacheDeps),
  };
  const lookUp = makeLookUpEntitlement({ find: makeFindStreamEntitlement(rightDeps), subscriptions, clock });
  return { caches, ...createRevocations({ control, caches, freshness, streams: hub, lookUp, clock, logger }) };
}

const checkTurnMs = 1_000;
const confirmWithinMs = 3_000;
/** A read of the control log without news takes half a second. */
const heardWithinMs = 700;

export interface RevocationsDeps extends Pick<EntitlementChecksDeps, 'streams' | 'lookUp'> {
  readonly control: Pick<ControlLog, 'openTail'>;
  /** What this pod remembers of tokens. */
  readonly caches: {
    readonly streams: Evictable & TokenTrust;
    readonly hooks: Evictable;
    readonly provisionTokens: Evictable;
  };
  /** Up to when this pod knows what was revoked; kept here. */
  readonly freshness: RevocationFreshness;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
}

export interface Revocations {
  /** Follow the control log; go round the rights of the open streams, each once a minute. */
  readonly tasks: readonly Task[];
  /**
   * Another number whenever something was evicted. A stream that was verified under another number than the one it
   * joins under must be verified again: its right may have ended in between.
   */
  generation(): number;
  /**
   * Resolves when this pod knows what was revoked, or after three seconds: then it cannot find out, and that keeps nobody
   * from being served. To be waited for before anything new is sent.
   */
  waitUntilFresh(): Promise<void>;
}

/** The pod's side of the control log: what it remembers is forgotten, and open streams follow their rights. */
export function createRevocations(deps: RevocationsDeps): Revocations {
  const { streams, caches, freshness, clock, logger } = deps;
  const onFailure = (error: unknown) => logger.error({ err: error }, 'rights.check_failed');
  const checks = new EntitlementChecks({ ...deps, memory: caches.streams, onFailure });
  const running = new Set<Promise<void>>();
  let generation = 0;
  /** How often something may have been missed that was not looked up yet. */
  let pendingRechecks = 0;

  /** In one turn of the event loop: nothing that was remembered before is used after it. */
  function apply({ entries, mayHaveMissed }: ControlBatch, askedAtMs: number): void {
    if (entries.length > 0 || mayHaveMissed) change(entries, mayHaveMissed);
    if (mayHaveMissed) void recheckAfterMiss();
    else if (pendingRechecks === 0) freshness.advanceTo(askedAtMs);
  }

  function change(entries: readonly ControlEntry[], mayHaveMissed: boolean): void {
    generation += 1;
    for (const { kind, id } of entries) selectCache(caches, kind).evict(id);
    if (mayHaveMissed) suspectAllTokens();
    const revoked = toHolderKeys(entries.filter(({ change }) => change === 'revoked'));
    if (revoked.size > 0) streams.reevaluate((right) => (isAffected(right.holder, revoked) ? 'revoked' : right));
    const changed = toHolderKeys(entries);
    const named = [...streams.entitlements()].filter(({ holder }) => isAffected(holder, changed));
    keepRunning(checks.check(named).then(() => undefined));
    logger.info({ entries: entries.length, mayHaveMissed, generation }, 'control.carried_out');
  }

  function suspectAllTokens(): void {
    for (const cache of Object.values(caches)) cache.suspectAll();
  }

  /** What the control log says counts again after it, also when the stores could not be asked. */
  async function recheckAfterMiss(): Promise<void> {
    pendingRechecks += 1;
    const waiting = new AbortController();
    const lookedUp = recheckAll();
    keepRunning(lookedUp);
    await Promise.race([lookedUp.catch(() => undefined), clock.sleep(confirmWithinMs, waiting.signal)]);
    waiting.abort();
    pendingRechecks -= 1;
  }

  async function recheckAll(): Promise<void> {
    const startedAtMs = clock.monotonicMs();
    if (await checks.checkAll()) freshness.advanceTo(startedAtMs);
  }

  async function waitUntilFresh(): Promise<void> {
    if (freshness.isFresh()) return;
    const waiting = new AbortController();
    const current = freshness.waitUntilFresh();
    const inVain = clock.sleep(confirmWithinMs, waiting.signal);
    // A process that only stood still hears at its next read what it has to.
    if (!follow.isUnreachable()) await Promise.race([current, clock.sleep(heardWithinMs, waiting.signal)]);
    // Not once more what is being looked up for that reason already.
    if (!freshness.isFresh() && pendingRechecks === 0) keepRunning(recheckAll());
    await Promise.race([current, inVain]);
    waiting.abort();
  }

  function keepRunning(check: Promise<void>): void {
    const ended = check.catch(onFailure).finally(() => running.delete(ended));
    running.add(ended);
  }

  const follow = createControlLogFollower({
    ...deps,
    apply,
    // Until it is heard again nobody can tell what was revoked meanwhile.
    onUnreachable: suspectAllTokens,
    finish: async () => {
      await Promise.all(running);
    },
  });
  const checkRights = createPeriodicTask({ name: 'rights', everyMs: checkTurnMs, clock, onError: onFailure }, () =>
    checks.checkDue(),
  );
  return { tasks: [follow, checkRights], generation: () => generation, waitUntilFresh };
}

function selectCache(caches: RevocationsDeps['caches'], kind: ControlEntry['kind']): Evictable {
  if (kind === 'integration') return caches.hooks;
  return kind === 'provision-token' ? caches.provisionTokens : caches.streams;
}

type Named = Pick<ControlEntry, 'kind' | 'id'>;

const toHolderKey = ({ kind, id }: Named): string => `${kind} ${id}`;

function toHolderKeys(entries: readonly ControlEntry[]): ReadonlySet<string> {
  return new Set(entries.map(toHolderKey));
}

function isAffected(holder: StreamHolder, names: ReadonlySet<string>): boolean {
  if (names.has(toHolderKey(holder))) return true;
  return holder.kind === 'session' && names.has(toHolderKey({ kind: 'user', id: holder.userId }));
}
