import type { ControlEntry, ControlLog, ControlTail } from '@widget-service/shared/ports/control-log.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import type { Logger } from '@widget-service/shared/runtime/logger.ts';
import { createPeriodicTask } from '@widget-service/shared/runtime/periodic.ts';
import type { Task } from '@widget-service/shared/runtime/supervisor.ts';
import type { Evictable } from '../auth/token-cache.ts';
import { RightChecks, type RightChecksDeps } from './right-checks.ts';
import type { StreamHolder } from './stream-right.ts';

const retryMs = 500;
/** The log's reader returns or fails within a few seconds, also when nothing comes. */
const stuckAfterMs = 30_000;
const checkTurnMs = 1_000;
const confirmWithinMs = 3_000;

export interface ControlDeps extends Pick<RightChecksDeps, 'streams' | 'lookUp'> {
  readonly control: Pick<ControlLog, 'openTail'>;
  /** What this pod remembers of tokens. */
  readonly caches: {
    readonly streams: Evictable;
    readonly hooks: Evictable;
    readonly provisionTokens: Evictable;
  };
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
   * Looks the rights of all open streams up, for when a revocation may have gone by unheard. Resolves after three seconds
   * at the latest: a store that is slow or away keeps nobody from being served.
   */
  confirmRights(): Promise<void>;
}

type Told = Awaited<ReturnType<ControlTail['next']>>;

/** The pod's side of the control log: what it remembers is forgotten, and open streams follow their rights. */
export function createControl(deps: ControlDeps): Control {
  const { streams, caches, clock, logger } = deps;
  const onFailure = (error: unknown) => logger.error({ err: error }, 'rights.check_failed');
  const checks = new RightChecks({ ...deps, onFailure });
  const running = new Set<Promise<void>>();
  let generation = 0;

  /** In one turn of the event loop: nothing that was remembered before is used after it. */
  function carryOut({ entries, mayHaveMissed }: Told): void {
    if (entries.length === 0 && !mayHaveMissed) return;
    generation += 1;
    for (const { kind, id } of entries) cacheOf(caches, kind).evict(id);
    if (mayHaveMissed) doubtTokens();
    const revoked = namesOf(entries.filter(({ change }) => change === 'revoked'));
    if (revoked.size > 0) streams.reconsider((right) => (isNamed(right.holder, revoked) ? 'revoked' : right));
    if (mayHaveMissed) checks.doubtAll();
    const changed = namesOf(entries);
    keepRunning(checks.check([...streams.rights()].filter(({ holder }) => isNamed(holder, changed))));
    logger.info({ entries: entries.length, mayHaveMissed, generation }, 'control.carried_out');
  }

  function doubtTokens(): void {
    for (const cache of Object.values(caches)) cache.evictAll();
  }

  async function confirmRights(): Promise<void> {
    const waiting = new AbortController();
    const confirmed = confirmAll(waiting.signal);
    keepRunning(confirmed);
    await Promise.race([confirmed.catch(() => undefined), clock.sleep(confirmWithinMs, waiting.signal)]);
    waiting.abort();
  }

  /** What is found while the control log puts all in doubt is not carried out; so it is looked up again. */
  async function confirmAll(signal: AbortSignal): Promise<void> {
    for (let seen = -1; seen !== generation && !signal.aborted; ) {
      seen = generation;
      await checks.check(streams.rights());
    }
  }

  function keepRunning(check: Promise<void>): void {
    const ended = check.catch(onFailure).finally(() => running.delete(ended));
    running.add(ended);
  }

  const follow = createFollowTask(deps, {
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

interface FollowOptions {
  readonly carryOut: (told: Told) => void;
  /** Whenever the log could not be heard. */
  readonly onDeaf: () => void;
  readonly finish: () => Promise<void>;
}

/** Reads the control log as long as the pod runs. A log that is away keeps nobody from being served. */
function createFollowTask(
  { control, clock, logger }: Pick<ControlDeps, 'control' | 'clock' | 'logger'>,
  { carryOut, onDeaf, finish }: FollowOptions,
): Task {
  let heardAtMs: number | null = null;
  let isAway = false;

  async function step(tail: ControlTail, signal: AbortSignal): Promise<void> {
    const told = await tail.next().catch(async (error: unknown) => {
      if (signal.aborted) return null;
      if (!isAway) logger.warn({ err: error }, 'control.unavailable');
      isAway = true;
      onDeaf();
      await clock.sleep(retryMs, signal);
      return null;
    });
    if (told === null) return;
    isAway = false;
    carryOut(told);
  }

  return {
    name: 'control',
    run: async (signal) => {
      const tail = control.openTail();
      signal.addEventListener('abort', () => void tail.close(), { once: true });
      try {
        while (!signal.aborted) {
          heardAtMs = clock.monotonicMs();
          await step(tail, signal);
        }
      } finally {
        heardAtMs = null;
        await tail.close();
        await finish();
      }
    },
    problem: () => {
      const isStuck = heardAtMs !== null && clock.monotonicMs() - heardAtMs > stuckAfterMs;
      return isStuck ? 'waits for the control log without end' : null;
    },
  };
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
