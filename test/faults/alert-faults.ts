import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { MongoClient, UUID } from 'mongodb';
import { createWidgets } from '../drivers/app/console-client.ts';
import type { AlertFault } from '../drivers/cluster/alert-watch.ts';
import type { Load } from '../drivers/cluster/load.ts';
import { withOrigin } from '../drivers/cluster/service-process.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import { createConnectionCrowd } from './connection-crowd.ts';
import type { FaultCluster } from './fault-cluster.ts';
import { createStreamFaults } from './stream-alert-faults.ts';
import { rejectPayloadsInMongo } from './unstorable-payloads.ts';

const nothing = async () => undefined;

/** Creates faults for nearly every alert, in the order in which they take the least time. */
export async function createAlertFaults(cluster: FaultCluster, load: Load) {
  const { MONGODB_URL = '', MONGODB_DATABASE = '', REDIS_KEY_PREFIX = '' } = cluster.run.environment;
  const mongo = await new MongoClient(MONGODB_URL).connect();
  const redis = new Redis(cluster.redis.url);
  redis.on('error', () => undefined);
  const [pod, secondPod] = cluster.pods;
  const [worker] = cluster.workers;
  if (pod === undefined || secondPod === undefined || worker === undefined) throw new Error('the cluster is too small');
  const ownMongo = await cluster.openLinkFor('MONGODB_URL');
  const [damagedId = ''] = await createWidgets(load.client, 1);
  const integration = await load.client.createIntegration('poison');
  const subscription = await load.client.createSubscription('extra');
  const widgets = mongo.db(MONGODB_DATABASE).collection('widgets');
  const target = { url: MONGODB_URL, database: MONGODB_DATABASE };
  const rejectAuditEvents = (validator: object) =>
    mongo.db(MONGODB_DATABASE).command({ collMod: 'auditEvents', validator });
  const crowd = createConnectionCrowd(pod);

  /** Overwrites a waiting job, as a foreign writer could. */
  async function damageWaitingJob(): Promise<void> {
    for (const key of await redis.keys(`{${REDIS_KEY_PREFIX}}:hooks-*:wait`)) {
      const id = await redis.lindex(key, 0);
      if (id === null) continue;
      await redis.hset(`${key.slice(0, -'wait'.length)}${id}`, 'data', JSON.stringify('no job at all'));
      return;
    }
    throw new Error('no job waits');
  }

  async function sendPoison(): Promise<void> {
    await rejectPayloadsInMongo(target, 'outbox', 'poison');
    const body = {
      kind: 'updated',
      occurredAt: new Date().toISOString(),
      widgetId: damagedId,
      payload: { text: 'poison' },
    };
    const response = await fetch(withOrigin({ url: cluster.url }, integration.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'webhook-id': randomUUID() },
      body: JSON.stringify(body),
    });
    if (response.status !== 202) throw new Error(`the poison hook got ${response.status}`);
  }

  const list: AlertFault[] = [
    {
      fault: 'the event log keeps 300 events; it clears when no events come, so in the next fault',
      alerts: [['WidgetEventLogTooShort', 'ticket']],
      cause: nothing,
      mend: nothing,
    },
    {
      fault: 'both workers are killed',
      alerts: [
        ['WidgetHooksWait', 'page'],
        ['WidgetServiceDown', 'page', { component: 'worker' }],
        ['WidgetProcessDown', 'ticket', { component: 'worker' }],
      ],
      cause: async () => {
        for (const slot of cluster.workers) await slot.kill();
      },
      mend: async () => {
        await eventually(async () => (await cluster.run.countJobs()) > 3, 'jobs wait');
        await damageWaitingJob();
        await sendPoison();
        await Promise.all(cluster.workers.map((slot) => slot.start()));
      },
    },
    {
      fault: 'the workers start again: a backlog, a poison hook and a foreign text wait for them',
      alerts: [
        ['WidgetEventsLate', 'page'],
        ['WidgetDeadLetters', 'ticket', { reason: 'store-refused' }],
        ['WidgetQueueTextsQuarantined', 'ticket'],
      ],
      cause: nothing,
      mend: () => rejectPayloadsInMongo(target, 'outbox', null),
    },
    {
      fault: 'a worker is killed three times',
      alerts: [['WidgetProcessRestarts', 'ticket', { component: 'worker' }]],
      cause: async () => {
        for (let kills = 0; kills < 3; kills += 1) {
          await worker.kill();
          await worker.start();
          // One scrape must see this start.
          await delay(1_500);
        }
      },
      mend: nothing,
    },
    {
      fault: 'a widget was damaged by hand: its outbox and its time of creation are texts',
      alerts: [
        ['WidgetOutboxesOverdue', 'page'],
        ['WidgetRunsFail', 'ticket'],
        ['WidgetInternalErrors', 'ticket'],
      ],
      cause: async () => {
        const outboxSince = new Date(Date.now() - 120_000);
        await widgets.updateOne(
          { id: new UUID(damagedId) },
          { $set: { outbox: 'damaged', outboxSince, createdAt: 'damaged' } },
        );
        await load.client.request('GET', `/api/v1/widgets/${damagedId}`);
      },
      mend: async () => {
        const createdAt = new Date();
        await widgets.updateOne(
          { id: new UUID(damagedId) },
          { $set: { outbox: [], createdAt }, $unset: { outboxSince: '' } },
        );
      },
    },
    {
      fault: 'MongoDB rejects audit events, because of a validator that was added by hand',
      alerts: [['WidgetAuditEventsLost', 'ticket']],
      cause: async () => {
        await rejectAuditEvents({ action: { $ne: 'integration.created' } });
        await load.client.createIntegration('unaudited');
      },
      mend: async () => {
        await rejectAuditEvents({});
      },
    },
    {
      fault: 'a client opens more connections than a pod may have',
      alerts: [['WidgetConnectionsRefused', 'ticket', { reason: 'per-pod' }]],
      cause: crowd.open,
      mend: crowd.close,
    },
    {
      fault: 'Redis is killed, and a pod starts without it',
      alerts: [
        ['WidgetStoreUnavailable', 'page', { store: 'redis' }],
        ['WidgetHooksNotAccepted', 'page'],
        ['WidgetTaskNotReady', 'ticket', { component: 'api', task: 'tail' }],
        ['WidgetRateLimiterFallsBack', 'ticket'],
      ],
      cause: async () => {
        await cluster.redis.kill();
        await secondPod.kill();
        await secondPod.start(ownMongo.environment);
      },
      mend: () => cluster.redis.start(),
    },
    ...createStreamFaults({
      ...{ pod, secondPod, redis, balancer: cluster.balancer },
      secondPodMongoLink: ownMongo.link,
      controlKey: `{${REDIS_KEY_PREFIX}}:control`,
      streamUrl: subscription.url,
    }),
    {
      fault: 'MongoDB is cut off',
      alerts: [['WidgetStoreUnavailable', 'page', { store: 'mongodb' }]],
      cause: async () => cluster.mongoLink.cut(),
      mend: () => cluster.mongoLink.mend(),
    },
    {
      fault: 'hooks failed and events were late before: the long windows remember it',
      alerts: [
        ['WidgetHooksNotAccepted', 'ticket'],
        ['WidgetEventsLate', 'ticket'],
      ],
      cause: nothing,
      mend: nothing,
    },
  ];
  return {
    list,
    close: async () => {
      await crowd.close();
      redis.disconnect();
      await mongo.close();
      await ownMongo.link.close();
    },
  };
}
