import { type StreamEntry, toLogRecord } from '@widget-service/cluster/redis/log-entry.ts';
import type { LogRecord } from '@widget-service/shared/ports/event-log.ts';
import { Redis } from 'ioredis';
import { type Document, MongoClient, type UUID } from 'mongodb';
import type { AnsweredWidget } from '../checkers/fold.ts';
import type { Environment } from '../drivers/service-process.ts';

/** What the stores hold once everything has come to rest. */
export interface StoredState {
  readonly widgets: readonly StoredWidget[];
  readonly deliveries: readonly StoredDelivery[];
  /** Texts of the queue that nobody could read. */
  readonly quarantined: number;
  /** The event log, oldest first. */
  readonly log: readonly LogRecord[];
  /** Jobs of the hook queue in any state, and widgets with something in their outbox. */
  readonly jobsLeft: number;
  readonly outboxesLeft: number;
}

export interface StoredWidget extends AnsweredWidget {
  /** Of the request that made it. */
  readonly idempotency: { readonly scope: string; readonly key: string; readonly body: string } | null;
}

interface StoredDelivery {
  readonly eventId: string;
  readonly state: 'received' | 'published' | 'dead';
  readonly widgetId: string | null;
}

export type ReadStoredState = (left: Pick<StoredState, 'jobsLeft' | 'outboxesLeft'>) => Promise<StoredState>;

const pageSize = 1_000;

/** Looks at the stores with connections of its own. */
export async function createStoredState(environment: Environment, redisUrl: string) {
  const mongo = await new MongoClient(environment.MONGODB_URL ?? '').connect();
  const db = mongo.db(environment.MONGODB_DATABASE);
  const redis = new Redis(redisUrl, { protocol: 2 });
  redis.on('error', () => undefined);
  const log = `{${environment.REDIS_KEY_PREFIX}}:log`;
  const read: ReadStoredState = async (left) => {
    const [widgets, deliveries, quarantined, records] = await Promise.all([
      db
        .collection('widgets')
        .find({}, { projection: { outbox: 0 } })
        .map(toStoredWidget)
        .toArray(),
      db
        .collection('deliveries')
        .find({}, { projection: { state: 1, widgetId: 1 } })
        .map(toStoredDelivery)
        .toArray(),
      db.collection('quarantine').countDocuments({}),
      readLog(redis, log),
    ]);
    return { ...left, widgets, deliveries, quarantined, log: records };
  };
  return {
    read,
    close: async () => {
      redis.disconnect();
      await mongo.close();
    },
  };
}

async function readLog(redis: Redis, key: string): Promise<LogRecord[]> {
  const records: LogRecord[] = [];
  for (let from = '-'; ; ) {
    const page = (await redis.xrange(key, from, '+', 'COUNT', pageSize)) as StreamEntry[];
    records.push(...page.map(toLogRecord));
    if (page.length < pageSize) return records;
    from = `(${page.at(-1)?.[0]}`;
  }
}

function toStoredWidget(document: Document): StoredWidget {
  const textOf = (time: Date | null) => time?.toISOString() ?? null;
  return {
    id: (document.id as UUID).toHexString(),
    name: document.name,
    state: document.state,
    labels: document.labels,
    owner: document.owner,
    createdAt: document.createdAt.toISOString(),
    updatedAt: document.updatedAt.toISOString(),
    retiredAt: textOf(document.retiredAt),
    lastEventAt: textOf(document.lastEventAt),
    version: document.version,
    idempotency: document.idem ?? null,
  };
}

function toStoredDelivery(document: Document): StoredDelivery {
  return {
    eventId: (document._id as unknown as UUID).toHexString(),
    state: document.state,
    widgetId: (document.widgetId as UUID | null)?.toHexString() ?? null,
  };
}
