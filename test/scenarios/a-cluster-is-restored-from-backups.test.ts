import { setTimeout as delay } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { describe, expect, test } from 'vitest';
import type { Environment } from '../drivers/cluster/service-process.ts';
import { pasteCommands, readDocumentedCommands } from '../drivers/tools/documented-commands.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import { isHaproxyInstalled } from '../faults/balancer.ts';
import { type FaultRun, useFaultRun } from '../faults/checkpoint.ts';
import { backUpMongo } from '../faults/mongo-backup.ts';
import { countGapReasons } from '../faults/recording-queries.ts';

async function dropDatabase({ MONGODB_URL = '' }: Environment): Promise<void> {
  const client = await new MongoClient(MONGODB_URL).connect();
  await client.db().dropDatabase();
  await client.close();
}

describe.runIf(isHaproxyInstalled())('a cluster that has lost all its stores', () => {
  let cluster: FaultRun['cluster'];
  let load: FaultRun['load'];
  let checkpoints: FaultRun['checkpoints'];

  useFaultRun('restore', { hasEventsRedis: true, revocationsPerSecond: 0 }, (run) => {
    ({ cluster, load, checkpoints } = run);
  });

  test('is restored by the steps of the operations guide; nothing of the backups is lost or repeated', async () => {
    const { run, redis, eventsRedis, pods, workers } = cluster;
    const redises = [redis, eventsRedis];
    // The backup of the queue has hooks that wait, and MongoDB's backup is later: there they are processed already.
    for (const worker of workers) worker.freeze();
    await delay(1_000);
    await load.pause();
    expect(await run.countJobs()).toBeGreaterThan(0);
    for (const each of redises) await each.copyData();
    for (const worker of workers) worker.thaw();
    await run.waitUntilProcessed();
    const mongo = await backUpMongo(run.environment);

    // An EventSource ends for good at an answer of 503, which haproxy gives while no pod runs.
    await cluster.balancer.stop();
    await Promise.all([...pods, ...workers].map((slot) => slot.kill()));
    await Promise.all(redises.map((each) => each.kill()));
    await Promise.all(redises.map((each) => each.deleteData()));
    await dropDatabase(run.environment);

    for (const each of redises) await each.restoreCopy();
    await Promise.all(redises.map((each) => each.start()));
    await mongo.restore();
    const environment = { ...run.environment, EVENTS_REDIS_URL: eventsRedis.url };
    const [commands] = readDocumentedCommands('docs/operations.md', 'Back up and restore a cluster');
    const printed = await pasteCommands(commands, environment);
    expect(printed).toMatch(/all indexes exist, \d+ of them new\n[\s\S]*^started epoch \w+/m);
    expect(await run.countJobs()).toBeGreaterThan(0);
    for (const slot of [...workers, ...pods]) await slot.start();
    await cluster.balancer.start();
    const areAllReady = async () => (await cluster.balancer.listReadyPods()).length === pods.length;
    await eventually(areAllReady, 'the load balancer sends requests to all pods');
    const areAllOpen = async () => load.streams.every(({ isOpen }) => isOpen);
    await eventually(areAllOpen, 'every stream is open again', 20_000);

    load.start();
    await checkpoints.take('all stores lost, and restored from backups', {
      gaps: true,
      isLast: true,
      withinMs: 60_000,
    });
    expect(countGapReasons(load.recording)).toEqual({ 'epoch-changed': load.streams.length });
  });
});
