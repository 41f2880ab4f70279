import { setTimeout as delay } from 'node:timers/promises';
import { type MongoConnection, openMongo } from '@widget-service/cluster/mongo/client.ts';
import type { ServerHeartbeatStartedEvent as HeartbeatStarted } from 'mongodb';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { mongodbUrlOf } from '../drivers/cluster/servers.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import { openTcpProxy } from '../faults/tcp-proxy.ts';

const clientCount = 10;
const outageCount = 4;
/** Long enough for every client to send commands before and during an outage. */
const loadPhaseMs = 500;

/** Returns whether MongoDB answers this client within two seconds. */
const isAnswered = ({ db }: MongoConnection) =>
  Promise.race([
    db.command({ ping: 1 }).then(
      () => true,
      () => false,
    ),
    delay(2_000, false),
  ]);

/** Opens a TCP proxy in front of MongoDB, and returns it with a function that connects a client through it. */
async function openProxiedMongo() {
  const url = new URL(mongodbUrlOf('any'));
  const proxy = await openTcpProxy({ host: url.hostname, port: Number(url.port) });
  onTestFinished(() => proxy.close());
  url.port = String(proxy.port);
  const open = async () => {
    const opened = await openMongo({ MONGODB_URL: url.href, startTimeoutMs: 10_000 });
    onTestFinished(() => opened.close());
    return opened;
  };
  return { proxy, open };
}

describe.runIf(inject('backend') === 'cluster')('openMongo', () => {
  test('reconnects every client after all connections broke at once under load', async () => {
    const { proxy, open } = await openProxiedMongo();
    const opened = await Promise.all(Array.from({ length: clientCount }, open));
    let isStopped = false;
    const load = opened.map(async (client) => {
      while (!isStopped) await Promise.all([isAnswered(client), isAnswered(client)]);
    });
    for (let outage = 0; outage < outageCount; outage += 1) {
      await delay(loadPhaseMs);
      proxy.cut();
      await delay(loadPhaseMs);
      await proxy.mend();
    }
    isStopped = true;
    await Promise.all(load);
    const areAllAnswered = async () => (await Promise.all(opened.map(isAnswered))).every(Boolean);
    await eventually(areAllAnswered, 'MongoDB answers every client', 30_000);
    expect(await areAllAnswered()).toBe(true);
  });

  test('reconnects a client whose first attempt to reconnect failed because MongoDB was unreachable', async () => {
    const { proxy, open } = await openProxiedMongo();
    const opened = await open();
    const { client } = opened.db;
    let connectAttempts = 0;
    client.on('topologyOpening', () => {
      connectAttempts += 1;
    });
    await proxy.refuse();
    // Simulates the driver's fault: a heartbeat that starts and never ends.
    client.emit('serverHeartbeatStarted', { connectionId: 'a hanging connection', awaited: false } as HeartbeatStarted);
    await eventually(async () => connectAttempts > 0, 'the client opens a new topology', 30_000);
    expect(await isAnswered(opened)).toBe(false);
    await proxy.mend();
    await eventually(() => isAnswered(opened), 'MongoDB answers the client', 30_000);
  });
});
