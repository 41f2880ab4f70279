import { NotReplicatedError, type ServiceError } from '@widget-service/shared/domain/errors.ts';
import type { Redis } from 'ioredis';
import type { RedisKeys } from '../redis/keys.ts';
import type { OnWarning } from '../redis/redis-failover.ts';
import { countReplicasInSync, isForbidden } from '../redis/redis-info.ts';

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
 * Decides how many replicas of Redis must confirm a job before its hooks get 202 (ADR 44).
 *
 * By default the number is one as soon as any process has seen a replica in sync. That process writes a mark, a key in
 * Redis, which every process obeys from then on, also while no replica is connected. So in a planned failover, no hook
 * is accepted by the old primary, which later discards its writes. A promoted replica has the mark, too.
 *
 * Only an operator knows that a replica will not come back. The operator removes the mark: `DEL {widgets}:replicated`,
 * or a start with `HOOK_ACK_REPLICAS=0`. Every process notices it at its next look. While a replica is in sync, the
 * mark comes back.
 */
export class ReplicaAcks {
  readonly #options: ReplicaAcksOptions;
  readonly #timer: NodeJS.Timeout;
  /** The number that applies now. Null: not yet known on this connection. */
  #count: number | null;
  /** The failure of the last `WAIT` on this connection. Null: replicas confirmed it, or there was no `WAIT`. */
  #lastFailure: NotReplicatedError | null = null;
  #look: Promise<number> | null = null;
  #hasReported = false;

  constructor(options: ReplicaAcksOptions) {
    this.#options = options;
    this.#count = options.count;
    const { redis, count, lookIntervalMs } = options;
    const look = () => {
      // With a given number there is nothing to find out. With 0, the look only warns if there is a replica.
      if (count === null || count === 0) this.#lookOnce().catch(() => undefined);
    };
    redis.on('ready', look);
    redis.on('close', () => {
      this.#lastFailure = null;
      // The next connection may lead to another Redis, which has replicas.
      if (count === null && this.#count === 0) this.#count = null;
    });
    if (redis.status === 'ready') look();
    this.#timer = setInterval(look, lookIntervalMs).unref();
  }

  /** Returns how many replicas must confirm. Rejects with the error of ioredis if it must ask Redis in vain. */
  async findCount(): Promise<number> {
    return this.#count ?? (await this.#lookOnce());
  }

  /** Takes the reply to a `WAIT` for `count` replicas. Throws `NotReplicatedError` if too few have confirmed. */
  recordConfirmed(confirmed: number, count: number): void {
    this.#lastFailure = confirmed < count ? this.#createError(confirmed, count) : null;
    if (this.#lastFailure !== null) throw this.#lastFailure;
  }

  /** Replaces a time-out by the failure of the last `WAIT`: a `WAIT` blocks later commands on its connection. */
  explain(error: ServiceError): ServiceError {
    const isTimeOut = /no answer within|Command timed out/.test(error.internalMessage ?? '');
    return isTimeOut && this.#lastFailure !== null ? this.#lastFailure : error;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #createError(confirmed: number, count: number): NotReplicatedError {
    const remedy =
      this.#options.count === null
        ? `if this Redis has no replica any more, run: redis-cli -u "$REDIS_URL" DEL "${this.#options.keys.replicated}"`
        : 'or lower HOOK_ACK_REPLICAS';
    return new NotReplicatedError(
      `hook queue add: ${confirmed} of ${count} replicas confirmed the job. Bring the replica back; ${remedy}`,
    );
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
    const before = this.#count;
    this.#count = hasReplica || mark !== null ? 1 : 0;
    if (this.#count === 1) this.#report('notice', waitsForReplica);
    else if (before === 1) {
      this.#hasReported = false;
      this.#options.onNotice(waitsNoLonger);
    }
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
const waitsNoLonger = 'the mark of a replica was removed from redis: a hook is answered 202 without one';
const acceptsWithoutReplica =
  'redis has a replica, but HOOK_ACK_REPLICAS=0: a failover can lose hooks that were answered 202; leave it out or set 1';
const cannotSeeReplicas =
  'redis forbids INFO, so its replicas are not seen: if it has any, set HOOK_ACK_REPLICAS=1, or a failover can lose hooks';
