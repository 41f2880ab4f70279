import type { EventRetention } from '@widget-service/shared/ports/event-log.ts';
import type { ComparablePosition } from '@widget-service/shared/ports/run-registry.ts';
import { ExitError, exitCodes } from '@widget-service/shared/runtime/exit-error.ts';
import type { Redis } from 'ioredis';
import type { Db } from 'mongodb';
import { openMongo } from './mongo/client.ts';
import { collectionNames } from './mongo/indexes.ts';
import { MongoRunRegistry, registryId } from './mongo/mongo-run-registry.ts';
import { widgetCollection } from './mongo/widget-document.ts';
import type { ClusterOptions } from './open-cluster.ts';
import { openFailFastConnection, waitForFirstContact } from './redis/connections.ts';
import { type RedisKeys, redisKeys } from './redis/keys.ts';
import { RedisEventLog } from './redis/redis-event-log.ts';
import { translateErrors } from './redis/translate-error.ts';

export interface NewEpoch {
  /** The number that every run from now on is above. */
  readonly run: number;
  /** The position at which the empty log begins. */
  readonly begin: ComparablePosition;
  /** How many marks of appended events were removed. */
  readonly marksRemoved: number;
}

/** Nothing was changed: the command is to be given again when Redis is there. */
class RedisUnreachableError extends ExitError {
  constructor() {
    super(exitCodes.storeUnreachable, `Redis did not answer within ${firstContactWithinMs} ms. Nothing was changed.`);
  }
}

const firstContactWithinMs = 2_000;
const keysAtOnce = 1_000;

/**
 * Makes the event log fit a MongoDB that was restored from a backup: there widgets have lower versions than the log has
 * told of, and their next events would pass for told already. Removes the marks of what was appended, raises the counter
 * of runs above every number that is stored anywhere, and begins an empty log, so that subscribers are told. No worker and
 * no pod may run meanwhile. May be repeated.
 *
 * Rejects with `MongoUnreachableError` when MongoDB does not come within `startTimeoutMs`, with `RedisUnreachableError`
 * when Redis is not there either, and with `UnavailableError` when it goes away in between.
 */
export async function beginNewEpoch(options: ClusterOptions): Promise<NewEpoch> {
  const mongo = await openMongo({
    url: options.mongodbUrl,
    database: options.mongodbDatabase,
    startTimeoutMs: options.startTimeoutMs,
    // The highest fence is looked for among all widgets, which takes as long as it takes: no index has it, because each
    // run would have to write that one too.
    socketTimeoutMs: 0,
  });
  const target = { url: options.redisUrl, onWarning: options.onWarning ?? (() => undefined) };
  const redis = openFailFastConnection(target, 'widget-service:new-epoch');
  try {
    await waitForFirstContact(redis, firstContactWithinMs);
    if (redis.status !== 'ready') throw new RedisUnreachableError();
    const keys = redisKeys(options.redisKeyPrefix);
    const marksRemoved = await translateErrors(
      removeKeys(redis, [keys.watermark('*'), keys.appendedEvent('*')]),
      'removal of the marks of appended events',
    );
    const seenByLog = await translateErrors(redis.hmget(keys.logMeta, 'run', 'newest'), 'event log inspect');
    await raiseRunCounter(mongo.db, Math.max(...seenByLog.map(Number)));
    const runs = new MongoRunRegistry(mongo.db);
    const { run } = await runs.startRun();
    const begin = await beginLog(redis, keys, options.retention, run);
    await runs.recordPosition(begin, null);
    return { run, begin, marksRemoved };
  } finally {
    redis.disconnect();
    await mongo.close();
  }
}

/** Expects a position that no log can know, of the run that begins: so the log is emptied and begun anew. */
async function beginLog(
  redis: Redis,
  keys: RedisKeys,
  retention: EventRetention,
  run: number,
): Promise<ComparablePosition> {
  const connectTail = () => {
    throw new Error('nothing is read here');
  };
  const log = new RedisEventLog({ redis, keys, retention, connectTail });
  const { last } = await log.append(run, { epoch: 'restored', epochRun: run, ms: 0, seq: 0 }, []);
  return last;
}

async function removeKeys(redis: Redis, patterns: string[]): Promise<number> {
  let removed = 0;
  for (const match of patterns) {
    for await (const page of redis.scanStream({ match, count: keysAtOnce })) {
      const found = page as string[];
      if (found.length > 0) removed += await redis.unlink(...found);
    }
  }
  return removed;
}

/** Above every run that the log has seen and above every fence: a backup need not be of one moment. */
async function raiseRunCounter(db: Db, seenByLog: number): Promise<void> {
  const [highest] = await widgetCollection(db)
    .aggregate<{ fence: number }>([{ $group: { _id: null, fence: { $max: '$fence' } } }])
    .toArray();
  const run = Math.max(seenByLog, highest?.fence ?? 0);
  await db
    .collection<{ _id: string; run: number }>(collectionNames.runs)
    .updateOne({ _id: registryId }, { $max: { run }, $unset: { lastPosition: '' } }, { upsert: true });
}
