import { describeError, UnavailableError } from '@widget-service/shared/domain/errors.ts';
import type { ComparablePosition, RunRegistry } from '@widget-service/shared/ports/run-registry.ts';
import type { Redis } from 'ioredis';
import type { MongoRunRegistry } from './mongo/mongo-run-registry.ts';
import type { RedisKeys } from './redis/keys.ts';

const olderThanLog =
  'MongoDB is older than the event log: it was restored from a backup, or REDIS_URL leads to another deployment. ' +
  'Nothing is processed. Stop all pods and workers, run "npm run new-epoch", then start them again';

/**
 * A run registry that recognises a MongoDB that is older than the event log (ADR 45).
 *
 * MongoDB gives each run its number before the run reaches the log. So MongoDB has lost data if the log holds a number
 * that MongoDB has not given yet, or gives only now. The log is always read first, so that a run that starts in between
 * causes no false alarm.
 *
 * New runs raise the counter, which would soon hide the loss. So a mark in MongoDB records it, until `new-epoch`
 * removes the mark.
 */
export class RestoreCheckedRuns implements RunRegistry {
  readonly #redis: Redis;
  readonly #keys: RedisKeys;
  readonly #runs: MongoRunRegistry;

  /** `redis` is that of the event log. */
  constructor(redis: Redis, keys: RedisKeys, runs: MongoRunRegistry) {
    this.#redis = redis;
    this.#keys = keys;
    this.#runs = runs;
  }

  /** Throws `UnavailableError` while MongoDB is older, and for a number that the log knows already. */
  async startRun(): ReturnType<RunRegistry['startRun']> {
    const highestInLog = await this.#readHighestInLog();
    const { newEpochs, isBehindLog, ...started } = await this.#runs.startRun();
    if (!isBehindLog && started.run > highestInLog) return started;
    if (!isBehindLog) await this.#runs.markBehindLog(newEpochs);
    throw new UnavailableError(olderThanLog);
  }

  lastPosition(): Promise<ComparablePosition | null> {
    return this.#runs.lastPosition();
  }

  recordPosition(position: ComparablePosition, expected: ComparablePosition | null): Promise<boolean> {
    return this.#runs.recordPosition(position, expected);
  }

  /** As `Backend.findMismatch`. */
  async findMismatch(): Promise<string | null> {
    const highestInLog = await this.#readHighestInLog();
    const { run, newEpochs, isBehindLog } = await this.#runs.readCounter();
    if (isBehindLog) return olderThanLog;
    if (run >= highestInLog) return null;
    return (await this.#runs.markBehindLog(newEpochs, highestInLog)) ? olderThanLog : null;
  }

  async #readHighestInLog(): Promise<number> {
    const numbers = await this.#redis.hmget(this.#keys.logMeta, 'epochRun', 'highestRun').catch((error: unknown) => {
      throw new UnavailableError(`restore check: ${describeError(error)}`, error, 'eventLog');
    });
    // A field that does not exist is null, and counts as 0.
    return Math.max(...numbers.map(Number));
  }
}
