import { describeError, UnavailableError } from '@widget-service/shared/domain/errors.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import type { Redis } from 'ioredis';
import type { MongoRunRegistry, RunCounter } from './mongo/mongo-run-registry.ts';
import type { RedisKeys } from './redis/keys.ts';

const olderThanLog =
  'MongoDB is older than the event log: it was restored from a backup, or REDIS_URL leads to another deployment. ' +
  'Nothing is processed. Stop all pods and workers, run "npm run new-epoch", then start them again';

/**
 * Recognises a MongoDB that is older than the event log (ADR 45).
 *
 * MongoDB gives each run its number before the run reaches the log. So MongoDB has lost data if the log holds a number
 * that MongoDB has not given yet, or gives only now. The log is always read first, so that a run that starts in between
 * causes no false alarm.
 *
 * New runs raise the counter, which would soon hide the loss. So a mark in MongoDB records it, until `new-epoch`
 * removes the mark. `redis` is the Redis of the event log.
 */
export function createRestoreCheck(
  redis: Redis,
  keys: RedisKeys,
  runs: MongoRunRegistry,
  counter: RunCounter,
): {
  /** `startRun` throws `UnavailableError` while MongoDB is older, and for a number that the log knows already. */
  readonly runs: Backend['runs'];
  readonly findMismatch: Backend['findMismatch'];
} {
  const readHighestInLog = async () => {
    const numbers = await redis.hmget(keys.logMeta, 'epochRun', 'highestRun').catch((error: unknown) => {
      throw new UnavailableError(`restore check: ${describeError(error)}`, error, 'eventLog');
    });
    // A field that does not exist is null, and counts as 0.
    return Math.max(...numbers.map(Number));
  };
  return {
    runs: {
      ...runs,
      startRun: async () => {
        const highestInLog = await readHighestInLog();
        const { newEpochs, isBehindLog, ...started } = await runs.startRun();
        if (!isBehindLog && started.run > highestInLog) return started;
        if (!isBehindLog) await counter.markBehindLog(newEpochs);
        throw new UnavailableError(olderThanLog);
      },
    },
    findMismatch: async () => {
      const highestInLog = await readHighestInLog();
      const { run, newEpochs, isBehindLog } = await counter.read();
      if (isBehindLog) return olderThanLog;
      if (run >= highestInLog) return null;
      return (await counter.markBehindLog(newEpochs, highestInLog)) ? olderThanLog : null;
    },
  };
}
