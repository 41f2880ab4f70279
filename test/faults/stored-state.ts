import { type StreamEntry, toLogRecord } from '@widget-service/cluster/redis/log-entry.ts';
import type { LogRecord } from '@widget-service/shared/ports/event-log.ts';
import { Redis } from 'ioredis';
import { type Document, MongoClient, type UUID } from 'mongodb';
import type { AnsweredWidget } from '../checkers/fold.ts';
import type { Environment } from '../drivers/cluster/service-process.ts';

/** The contents of the stores when the cluster is idle. */
export interface StoredState {
  readonly widgets: readonly StoredWidget[];
  readonly deliveries: readonly StoredDelivery[];
  /** The number of quarantined queue texts. */
  readonly quarantined: number;
  readonly auditEvents: readonly StoredAuditEvent[];
  /** The event log, oldest first. */
  readonly log: readonly LogRecord[];
  /** The number of waiting and started jobs, and of widgets with a non-empty outbox. */
  readonly jobsLeft: number;
  readonly outboxesLeft: number;
}

export interface StoredWidget extends AnsweredWidget {
  /** The idempotency key and the answer of the create; null without a key. */
  readonly idempotency: { readonly scope: string; readonly key: string; readonly body: string } | null;
}

interface StoredDelivery {
  readonly eventId: string;
  readonly state: 'received' | 'published' | 'dead';
  readonly widgetId: string | null;
}

interface StoredAuditEvent {
  readonly action: string;
  readonly outcome: string;
  readonly targetId: string | null;
}

export type ReadStoredState = (left: Pick<StoredState, 'jobsLeft' | 'outboxesLeft'>) => Promise<StoredState>;

const pageSize = 1_000;

/** Returns a reader of the stores with its own connections. `eventsRedisUrl` leads to the event log, past the links. */
export async function openStoredStateReader(environment: Environment, eventsRedisUrl: string) {
  const mongo = await new MongoClient(environment.MONGODB_URL ?? '').connect();
  const db = mongo.db();
  const redis = new Redis(eventsRedisUrl, { protocol: 2 });
  redis.on('error', () => undefined);
  const log = `{${db.databaseName}}:log`;
  const read: ReadStoredState = async (left) => {
    const [widgets, deliveries, quarantined, auditEvents, records] = await Promise.all([
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
      db
        .collection('auditEvents')
        .find({}, { projection: { action: 1, outcome: 1, target: 1 } })
        .map(toStoredAuditEvent)
        .toArray(),
      readLog(redis, log),
    ]);
    return { ...left, widgets, deliveries, quarantined, auditEvents, log: records };
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
  const toText = (time: Date | null) => time?.toISOString() ?? null;
  return {
    id: (document.id as UUID).toHexString(),
    name: document.name,
    state: document.state,
    labels: document.labels,
    owner: document.owner,
    createdAt: document.createdAt.toISOString(),
    updatedAt: document.updatedAt.toISOString(),
    retiredAt: toText(document.retiredAt),
    lastEventAt: toText(document.lastEventAt),
    version: document.version,
    idempotency: document.idem ?? null,
  };
}

function toStoredAuditEvent({ action, outcome, target }: Document): StoredAuditEvent {
  return { action, outcome, targetId: target === null ? null : `${target.id}` };
}

function toStoredDelivery(document: Document): StoredDelivery {
  return {
    eventId: (document._id as unknown as UUID).toHexString(),
    state: document.state,
    widgetId: (document.widgetId as UUID | null)?.toHexString() ?? null,
  };
}
