import type { ControlEntry, ControlLog } from '@widget-service/shared/ports/control-log.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import type { Logger } from '@widget-service/shared/runtime/logger.ts';
import { createPeriodicTask } from '@widget-service/shared/runtime/periodic.ts';
import type { Task } from '@widget-service/shared/runtime/supervisor.ts';
import type { RightsKnowledge } from '../auth/rights-knowledge.ts';
import type { Evictable, TokenMemory } from '../auth/token-cache.ts';
import { createFollowControlLog, type Told } from './follow-control-log.ts';
import { RightChecks, type RightChecksDeps } from './right-checks.ts';
import type { StreamHolder } from './stream-right.ts';

const checkTurnMs = 1_000;
const confirmWithinMs = 3_000;
/** A read of the control log without news takes half a second. */
const heardWithinMs = 700;

export interface ControlDeps extends Pick<RightChecksDeps, 'streams' | 'lookUp'> {
  readonly control: Pick<ControlLog, 'openTail'>;
  /** What this pod remembers of tokens. */
  readonly caches: {
    readonly streams: Evictable & TokenMemory;
    readonly hooks: Evictable;
    readonly provisionTokens: Evictable;
  };
  /** Up to when this pod knows what was revoked; kept here. */
  readonly knowledge: RightsKnowledge;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
}

export interface Control {
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
  confirmRights(): Promise<void>;
}

/** The pod's side of the control log: what it remembers is forgotten, and open streams follow their rights. */
export function createControl(deps: ControlDeps): Control {
  const { streams, caches, knowledge, clock, logger } = deps;
  const onFailure = (error: unknown) => logger.error({ err: error }, 'rights.check_failed');
  const checks = new RightChecks({ ...deps, memory: caches.streams, onFailure });
  const running = new Set<Promise<void>>();
  let generation = 0;
  /** How often something may have been missed that was not looked up yet. */
  let doubts = 0;

  /** In one turn of the event loop: nothing that was remembered before is used after it. */
  function carryOut({ entries, mayHaveMissed }: Told, askedAtMs: number): void {
    if (entries.length > 0 || mayHaveMissed) change(entries, mayHaveMissed);
    if (mayHaveMissed) void resolveDoubt();
    else if (doubts === 0) knowledge.reaches(askedAtMs);
  }

  function change(entries: readonly ControlEntry[], mayHaveMissed: boolean): void {
    generation += 1;
    for (const { kind, id } of entries) cacheOf(caches, kind).evict(id);
    if (mayHaveMissed) doubtTokens();
    const revoked = namesOf(entries.filter(({ change }) => change === 'revoked'));
    if (revoked.size > 0) streams.reconsider((right) => (isNamed(right.holder, revoked) ? 'revoked' : right));
    const changed = namesOf(entries);
    const named = [...streams.rights()].filter(({ holder }) => isNamed(holder, changed));
    keepRunning(checks.check(named).then(() => undefined));
    logger.info({ entries: entries.length, mayHaveMissed, generation }, 'control.carried_out');
  }

  function doubtTokens(): void {
    for (const cache of Object.values(caches)) cache.evictAll();
  }

  /** What the control log says counts again after it, also when the stores could not be asked. */
  async function resolveDoubt(): Promise<void> {
    doubts += 1;
    const waiting = new AbortController();
    const lookedUp = lookUpAll();
    keepRunning(lookedUp);
    await Promise.race([lookedUp.catch(() => undefined), clock.sleep(confirmWithinMs, waiting.signal)]);
    waiting.abort();
    doubts -= 1;
  }

  async function lookUpAll(): Promise<void> {
    const startedAtMs = clock.monotonicMs();
    if (await checks.checkAll()) knowledge.reaches(startedAtMs);
  }

  async function confirmRights(): Promise<void> {
    if (knowledge.isCurrent()) return;
    const waiting = new AbortController();
    const current = knowledge.becomesCurrent();
    const inVain = clock.sleep(confirmWithinMs, waiting.signal);
    // A process that only stood still hears at its next read what it has to.
    if (!follow.isAway()) await Promise.race([current, clock.sleep(heardWithinMs, waiting.signal)]);
    // Not once more what is being looked up for that reason already.
    if (!knowledge.isCurrent() && doubts === 0) keepRunning(lookUpAll());
    await Promise.race([current, inVain]);
    waiting.abort();
  }

  function keepRunning(check: Promise<void>): void {
    const ended = check.catch(onFailure).finally(() => running.delete(ended));
    running.add(ended);
  }

  const follow = createFollowControlLog({
    ...deps,
    carryOut,
    // Until it is heard again nobody can tell what was revoked meanwhile.
    onDeaf: doubtTokens,
    finish: async () => {
      await Promise.all(running);
    },
  });
  const checkRights = createPeriodicTask({ name: 'rights', everyMs: checkTurnMs, clock, onError: onFailure }, () =>
    checks.checkDue(),
  );
  return { tasks: [follow, checkRights], generation: () => generation, confirmRights };
}

function cacheOf(caches: ControlDeps['caches'], kind: ControlEntry['kind']): Evictable {
  if (kind === 'integration') return caches.hooks;
  return kind === 'provision-token' ? caches.provisionTokens : caches.streams;
}

type Named = Pick<ControlEntry, 'kind' | 'id'>;

const nameOf = ({ kind, id }: Named): string => `${kind} ${id}`;

function namesOf(entries: readonly ControlEntry[]): ReadonlySet<string> {
  return new Set(entries.map(nameOf));
}

function isNamed(holder: StreamHolder, names: ReadonlySet<string>): boolean {
  if (names.has(nameOf(holder))) return true;
  return holder.kind === 'session' && names.has(nameOf({ kind: 'user', id: holder.userId }));
}
