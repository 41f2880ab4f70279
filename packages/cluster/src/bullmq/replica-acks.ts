import type { Redis } from 'ioredis';
import type { RedisKeys } from '../redis/keys.ts';
import { countReplicasInSync, isForbidden } from '../redis/redis-info.ts';
import type { OnWarning } from '../redis/targets.ts';

export interface ReplicaAcksOptions {
  /** The fail-fast connection on which jobs are stored. */
  readonly redis: Redis;
  readonly keys: RedisKeys;
  /** How many replicas must confirm. Null: one, once Redis has had one. */
  readonly count: number | null;
  /** How often to look for replicas. */
  readonly lookIntervalMs: number;
  readonly onNotice: OnWarning;
  readonly onWarning: OnWarning;
}

/**
 * Decides how many replicas must confirm a job before its hooks are answered.
 *
 * Without a given number it is one, as soon as one process has seen a replica in sync. Redis keeps this as a mark. So
 * it holds for every process from then on, also while the replica is away: Sentinels may just have replaced a primary
 * that has lost its replicas, and what only it has will be lost. The mark is a key, so a promoted replica has it, too.
 * `HOOK_ACK_REPLICAS=0` removes it.
 */
export class ReplicaAcks {
  readonly #options: ReplicaAcksOptions;
  readonly #timer: NodeJS.Timeout;
  /** Null: not known on this connection. Never becomes lower. */
  #count: number | null;
  #look: Promise<number> | null = null;
  #hasReported = false;

  constructor(options: ReplicaAcksOptions) {
    this.#options = options;
    this.#count = options.count;
    const { redis, count, lookIntervalMs } = options;
    const look = () => {
      // A given number needs no look, except 0: a warning says what it risks.
      if (count === null || count === 0) this.#lookOnce().catch(() => undefined);
    };
    redis.on('ready', look);
    redis.on('close', () => {
      // The next connection may lead to another Redis, which has replicas.
      if (count === null && this.#count === 0) this.#count = null;
    });
    if (redis.status === 'ready') look();
    this.#timer = setInterval(look, lookIntervalMs).unref();
  }

  /** How many replicas must confirm. Rejects with the error of ioredis if that is not known, and Redis does not say. */
  async findCount(): Promise<number> {
    return this.#count ?? (await this.#lookOnce());
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #lookOnce(): Promise<number> {
    this.#look ??= this.#lookForReplicas().finally(() => {
      this.#look = null;
    });
    return this.#look;
  }

  async #lookForReplicas(): Promise<number> {
    const { redis, keys, count } = this.#options;
    const [mark, info] = await Promise.all([redis.get(keys.replicated), this.#readInfo()]);
    const hasReplica = info !== null && countReplicasInSync(info) > 0;
    if (count !== null) {
      if (mark !== null) await redis.del(keys.replicated);
      if (hasReplica) this.#report('warning', acceptsWithoutReplica);
      return count;
    }
    if (hasReplica && mark === null) await redis.set(keys.replicated, '1');
    if (hasReplica || mark !== null) {
      this.#count = 1;
      this.#report('notice', waitsForReplica);
    }
    this.#count ??= 0;
    return this.#count;
  }

  /** Null if Redis forbids INFO. */
  async #readInfo(): Promise<string | null> {
    try {
      return await this.#options.redis.info('replication');
    } catch (error) {
      if (!isForbidden(error)) throw error;
      if (this.#options.count === null) this.#report('warning', cannotSeeReplicas);
      return null;
    }
  }

  #report(kind: 'warning' | 'notice', message: string): void {
    if (this.#hasReported) return;
    this.#hasReported = true;
    const { onWarning, onNotice } = this.#options;
    (kind === 'warning' ? onWarning : onNotice)(message);
  }
}

const waitsForReplica =
  'redis has a replica: a hook is answered 202 once a replica has it, and 503 while none confirms it (HOOK_ACK_REPLICAS)';
const acceptsWithoutReplica =
  'redis has a replica, but HOOK_ACK_REPLICAS=0: a failover can lose hooks that were answered 202; leave it out or set 1';
const cannotSeeReplicas =
  'redis forbids INFO, so its replicas are not seen: if it has any, set HOOK_ACK_REPLICAS=1, or a failover can lose hooks';
