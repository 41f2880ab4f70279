import { setTimeout as delay } from 'node:timers/promises';
import { type MongoConnection, openMongo } from '@widget-service/cluster/mongo/client.ts';
import type { ServerHeartbeatStartedEvent as HeartbeatStarted } from 'mongodb';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { eventually } from '../drivers/eventually.ts';
import { openTcpProxy } from '../faults/tcp-proxy.ts';

/** While all of them ask without pause. */
const clients = 10;
const outages = 4;

const answers = ({ db }: MongoConnection) =>
  Promise.race([
    db.command({ ping: 1 }).then(
      () => true,
      () => false,
    ),
    delay(2_000, false),
  ]);

async function openLink() {
  const url = new URL(process.env.MONGODB_URL ?? '');
  const proxy = await openTcpProxy({ host: url.hostname, port: Number(url.port) });
  onTestFinished(() => proxy.close());
  url.port = String(proxy.port);
  const open = async () => {
    const opened = await openMongo({ url: url.href, database: 'any', startTimeoutMs: 10_000 });
    onTestFinished(() => opened.close());
    return opened;
  };
  return { proxy, open };
}

describe.runIf(inject('backend') === 'cluster')('MongoDB is found again', () => {
  it('by every client, when all connections break at once under load', async () => {
    const { proxy, open } = await openLink();
    const opened = await Promise.all(Array.from({ length: clients }, open));
    let isOver = false;
    const load = opened.map(async (each) => {
      while (!isOver) await Promise.all([answers(each), answers(each)]);
    });
    for (let outage = 0; outage < outages; outage += 1) {
      await delay(500);
      proxy.cut();
      await delay(500);
      await proxy.mend();
    }
    isOver = true;
    await Promise.all(load);
    const allAnswer = async () => (await Promise.all(opened.map(answers))).every(Boolean);
    await eventually(allAnswer, 'every client is answered', 30_000);
    expect(await allAnswer()).toBe(true);
  });

  it('by a client that could not be connected anew at once, because MongoDB was away', async () => {
    const { proxy, open } = await openLink();
    const opened = await open();
    const { client } = opened.db;
    let triesToConnect = 0;
    client.on('topologyOpening', () => {
      triesToConnect += 1;
    });
    await proxy.refuse();
    // What the driver's fault comes to: a look at the server that does not end.
    client.emit('serverHeartbeatStarted', { connectionId: 'one that hangs', awaited: false } as HeartbeatStarted);
    await eventually(async () => triesToConnect > 0, 'it is connected anew', 30_000);
    expect(await answers(opened)).toBe(false);
    await proxy.mend();
    await eventually(() => answers(opened), 'it is answered', 30_000);
  });
});
