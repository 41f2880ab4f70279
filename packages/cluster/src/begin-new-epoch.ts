import type { NumberedPosition } from '@widget-service/shared/ports/run-register.ts';
import type { Db } from 'mongodb';
import { openMongo } from './mongo/client.ts';
import { collectionNames } from './mongo/indexes.ts';
import { registerId } from './mongo/mongo-run-register.ts';
import { widgetCollection } from './mongo/widget-document.ts';
import { type ClusterOptions, openCluster } from './open-cluster.ts';
import { openFailFastConnection } from './redis/connections.ts';
import { redisKeys } from './redis/keys.ts';

export interface NewEpoch {
  /** The number that every run from now on is above. */
  readonly run: number;
  /** The position at which the empty log begins. */
  readonly begin: NumberedPosition;
  /** How many marks of appended events were removed. */
  readonly guardsRemoved: number;
}

const keysAtOnce = 1_000;

/**
 * Makes the event log fit a MongoDB that was restored from a backup: there widgets have lower versions than the log has
 * told of, and their next events would pass for told already. Removes the marks of what was appended, raises the counter
 * of runs above every number that is stored anywhere, and begins an empty log, so that subscribers are told. No worker and
 * no pod may run meanwhile. May be repeated.
 *
 * Rejects like `openCluster`, and with `UnavailableError` when Redis is away.
 */
export async function beginNewEpoch(options: ClusterOptions): Promise<NewEpoch> {
  const keys = redisKeys(options.redisKeyPrefix);
  const target = { url: options.redisUrl, onWarning: options.onWarning ?? (() => undefined) };
  const backend = await openCluster(options);
  const redis = openFailFastConnection(target, 'widget-service:new-epoch');
  const mongo = await openMongo({
    url: options.mongodbUrl,
    database: options.mongodbDatabase,
    startTimeoutMs: options.startTimeoutMs,
  });
  try {
    await backend.eventLog.inspect(null);
    const guardsRemoved = await removeKeys(redis, [keys.watermark('*'), keys.appendedEvent('*')]);
    const seenByLog = await redis.hmget(keys.logMeta, 'run', 'newest');
    await raiseRunCounter(mongo.db, Math.max(...seenByLog.map(Number)));
    const { run } = await backend.runs.next();
    // A position that no log can know, of the run that begins: so the log is emptied and begun anew.
    const unknown: NumberedPosition = { epoch: 'restored', epochRun: run, ms: 0, seq: 0 };
    const { last } = await backend.eventLog.append(run, unknown, []);
    await backend.runs.record(last, null);
    return { run, begin: last, guardsRemoved };
  } finally {
    redis.disconnect();
    await mongo.close();
    await backend.close();
  }
}

async function removeKeys(redis: ReturnType<typeof openFailFastConnection>, patterns: string[]): Promise<number> {
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
    .updateOne({ _id: registerId }, { $max: { run }, $unset: { lastPosition: '' } }, { upsert: true });
}
