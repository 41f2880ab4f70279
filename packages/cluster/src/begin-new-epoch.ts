import type { Settings } from '@widget-service/shared/config/settings.ts';
import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { type EventRetention, toEventRetention } from '@widget-service/shared/ports/event-log.ts';
import type { ComparablePosition } from '@widget-service/shared/ports/run-registry.ts';
import { ExitError, exitCodes } from '@widget-service/shared/runtime/exit-error.ts';
import type { Redis } from 'ioredis';
import type { Db } from 'mongodb';
import { openMongo } from './mongo/client.ts';
import { collectionNames } from './mongo/indexes.ts';
import { MongoRunRegistry, registryId } from './mongo/mongo-run-registry.ts';
import { translateErrors as translateMongoErrors } from './mongo/translate-error.ts';
import { describeConnectionError } from './redis/connection-errors.ts';
import { openFailFastConnection } from './redis/connections.ts';
import { verifyTarget, waitForFirstContact } from './redis/first-contact.ts';
import { findRedisKeys, type RedisKeys } from './redis/keys.ts';
import { translateErrors } from './redis/redis-call.ts';
import { RedisEventLog } from './redis/redis-event-log.ts';
import { findTargets } from './redis/redis-failover.ts';

export interface NewEpoch {
  /** The run that started the epoch. Every later run has a higher number. */
  readonly run: number;
  /** The position at which the empty log starts. */
  readonly begin: ComparablePosition;
  /** How many dedupe marks were removed. */
  readonly marksRemoved: number;
}

const firstContactWithinMs = 2_000;
const scanPageSize = 1_000;

/**
 * The command `npm run new-epoch`: adapts Redis to a MongoDB that was restored from a backup. Restored widgets can have
 * lower versions than their watermarks, so the log would skip their next events as duplicates.
 *
 * Removes all dedupe marks, raises the run counter above every run number in the log, and starts an empty log with a
 * new epoch, so that subscribers receive `stream.gap`. No worker and no pod may run meanwhile. May be repeated.
 *
 * Rejects with an `ExitError` (configuration) for a malformed `MONGODB_URL`, with `MongoUnreachableError` when MongoDB
 * does not answer within 30 s, with `RedisRefusalError`, and with an `ExitError` (store unreachable) when Redis does
 * not answer within 2 s. If a store fails after that, or if a worker runs all the same, rejects with
 * `UnavailableError`: run the command again.
 */
export async function beginNewEpoch(
  settings: Settings,
  retention = toEventRetention(settings.EVENT_RETENTION_BYTES),
): Promise<NewEpoch> {
  const mongo = await openMongo(settings);
  const { events: target } = findTargets(settings, () => undefined);
  const redis = openFailFastConnection(target, 'widget-service:new-epoch');
  let reason = 'no connection';
  redis.on('error', (error) => {
    reason = describeConnectionError(error);
  });
  try {
    await waitForFirstContact(redis, target, firstContactWithinMs);
    if (redis.status !== 'ready') {
      throw new ExitError(
        exitCodes.storeUnreachable,
        `Redis did not answer within ${firstContactWithinMs} ms (${reason}). Nothing was changed. ` +
          `Check ${target.setting} and Redis, then run the command again.`,
      );
    }
    await verifyTarget(redis, target);
    const keys = findRedisKeys(settings);
    const marksRemoved = await translateErrors(
      removeKeys(redis, [keys.watermark('*'), keys.appendedEvent('*')]),
      'removal of dedupe marks',
    );
    const runsInLog = await translateErrors(redis.hmget(keys.logMeta, 'epochRun', 'highestRun'), 'event log inspect');
    // A field that does not exist is null, and counts as 0.
    await translateMongoErrors('run counter', () => raiseRunCounter(mongo.db, Math.max(...runsInLog.map(Number))));
    const runs = new MongoRunRegistry(mongo.db);
    const { run } = await runs.startRun();
    const begin = await startNewEpoch(redis, keys, retention, run);
    if (!(await runs.recordPosition(begin, null))) {
      throw new UnavailableError(
        'a worker recorded a position meanwhile: stop all pods and workers, then run it again',
      );
    }
    return { run, begin, marksRemoved };
  } finally {
    redis.disconnect();
    await mongo.close();
  }
}

/**
 * Makes the log start a new epoch, as an append does if the log lacks the position that it names: here nothing is
 * appended, and no log has that position. Returns the end of the empty log.
 */
async function startNewEpoch(
  redis: Redis,
  keys: RedisKeys,
  retention: EventRetention,
  run: number,
): Promise<ComparablePosition> {
  const connectTail = () => {
    throw new Error('begin new epoch: this event log opens no tail');
  };
  const log = new RedisEventLog({ redis, keys, retention, connectTail });
  const { last } = await log.append(run, { epoch: 'restored', epochRun: run - 1, ms: 0, seq: 0 }, []);
  return last;
}

async function removeKeys(redis: Redis, patterns: string[]): Promise<number> {
  let removed = 0;
  for (const match of patterns) {
    for await (const page of redis.scanStream({ match, count: scanPageSize })) {
      const keys = page as string[];
      if (keys.length > 0) removed += await redis.unlink(...keys);
    }
  }
  return removed;
}

/**
 * Raises the run counter to at least the highest run in the log. Also removes the mark of the restore check, and the
 * last recorded position: the new epoch records its own.
 */
async function raiseRunCounter(db: Db, highestRunInLog: number): Promise<void> {
  await db
    .collection<{ _id: string; run: number }>(collectionNames.runs)
    .updateOne(
      { _id: registryId },
      { $max: { run: highestRunInLog }, $inc: { newEpochs: 1 }, $unset: { lastPosition: '', isBehindLog: '' } },
      { upsert: true },
    );
}
