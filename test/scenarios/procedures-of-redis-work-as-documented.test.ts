/** An operator pastes the commands of docs/operations.md, one procedure after the other, under load. */

import { setTimeout as delay } from 'node:timers/promises';
import { redisKeys } from '@widget-service/cluster/redis/keys.ts';
import { findDatabaseName } from '@widget-service/shared/runtime/host-name.ts';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Load, openLoad } from '../drivers/cluster/load.ts';
import type { Environment } from '../drivers/cluster/service-process.ts';
import { pasteCommands, readDocumentedCommands } from '../drivers/tools/documented-commands.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import { isHaproxyInstalled } from '../faults/balancer.ts';
import { type CheckedDeployment, checkFaultCluster } from '../faults/checked-deployment.ts';
import { type Checkpoints, createCheckpoints } from '../faults/checkpoint.ts';
import { type FaultCluster, openFaultCluster } from '../faults/fault-cluster.ts';
import { countGapReasons, isAccepting } from '../faults/recording-queries.ts';
import { type RedisProcess, startRedis } from '../faults/redis-process.ts';
import { openStoredStateReader } from '../faults/stored-state.ts';

// The load balancer stops before them.
const environment = { HOOK_PARTITIONS: '4', DRAIN_DELAY_MS: '0' };

interface Condition {
  readonly code: string;
  readonly detail: string;
}

describe.runIf(isHaproxyInstalled())('the procedures of the operations guide', () => {
  let cluster: FaultCluster;
  let newRedis: RedisProcess;
  let load: Load;
  let deployment: CheckedDeployment;
  let checkpoints: Checkpoints;
  let prefix: string;
  let closeReader: (() => Promise<unknown>) | undefined;
  /** Settings that the procedures so far have changed. */
  let settings: Environment = {};

  beforeAll(async () => {
    cluster = await openFaultCluster({ pods: 2, environment });
    newRedis = await startRedis();
    prefix = findDatabaseName(cluster.run.environment.MONGODB_URL ?? '');
    load = await openLoad(cluster, { revocationsPerSecond: 0 });
    deployment = checkFaultCluster(cluster);
    // The event log moves, and the checkers read it where it is.
    checkpoints = createCheckpoints(
      'procedures',
      { ...deployment, readStored: (left) => deployment.readStored(left) },
      load,
    );
    load.start();
  });
  afterAll(async () => {
    await checkpoints?.report();
    await load?.close();
    await closeReader?.();
    await cluster?.dispose();
    await newRedis?.dispose();
  });

  const paste = (commands: string | undefined) => {
    const urls = { REDIS_URL: cluster.redis.url, EVENTS_REDIS_URL: newRedis.url, REPLICA_URL: newRedis.url };
    const primary = `127.0.0.1 ${cluster.redis.port}`;
    const replace = { '{widgets}': `{${prefix}}`, 'old-host 6379': primary, 'primary-host 6379': primary };
    return pasteCommands(commands, urls, replace);
  };
  const take = async (what: string) => {
    await checkpoints.take(what, { withinMs: 60_000 });
    expect(countGapReasons(load.recording)).toEqual({});
  };
  const areAccepted = async (sinceMs = 0) => isAccepting(load.recording, sinceMs);
  /** An EventSource ends for good at an answer of 503, which haproxy gives while no pod runs. */
  const whileAllAreStopped = async (work: () => Promise<void>) => {
    await cluster.balancer.stop();
    const slots = [...cluster.workers, ...cluster.pods];
    await Promise.all(slots.map((slot) => slot.stop()));
    await work();
    for (const slot of slots) await slot.start(settings);
    await cluster.balancer.start();
    const areAllOpen = async () => load.streams.every(({ isOpen }) => isOpen);
    await eventually(areAllOpen, 'every stream is open again', 30_000);
  };
  const listKeys = async (redis: RedisProcess) => (await redis.send('KEYS', `{${prefix}}:*`)).split(',');

  test('a replica is added and removed; forgetting the mark refuses hooks, and the overview says how to end it', async () => {
    const [add, remove = ''] = readDocumentedCommands('docs/operations.md', 'Add and remove a replica');
    await paste(add);
    const isMarked = async () => (await cluster.redis.send('EXISTS', redisKeys(prefix).replicated)) === '1';
    await eventually(isMarked, 'a process has seen the replica', 15_000);
    const [detach, removeMark] = remove.split(/^(?=.*DEL)/m);
    await paste(detach);
    await eventually(async () => !(await areAccepted()), 'hooks are refused', 15_000);
    let conditions: Condition[] = [];
    const isSaid = async () => {
      const response = await load.client.request('GET', '/api/v1/overview');
      ({ conditions } = (await response.json()) as { conditions: Condition[] });
      return conditions.some(({ code }) => code === 'hooks-refused');
    };
    await eventually(isSaid, 'the overview says that hooks are refused', 60_000);
    const [condition] = conditions;
    expect(condition?.detail).toContain('0 of 1 replicas confirmed the job');
    expect(condition?.detail).toContain(`DEL "{${prefix}}:replicated"`);
    await paste(removeMark);
    await eventually(areAccepted, 'hooks are accepted', 15_000);
    const refusals = load.recording.hooks.flatMap(({ status, refusal }) =>
      status === 503 ? [refusal?.body ?? ''] : [],
    );
    const clear = refusals.filter((body) => body.includes('No replica of the hook queue confirms the hook'));
    // Those before the first WAIT has ended cannot know it.
    expect(clear.length).toBeGreaterThan(0.95 * refusals.length);
    await take('a replica was attached for a while');
  });

  test('the event log moves to a Redis of its own without a gap, while partitions change; each Redis keeps only what it needs', async () => {
    const [attach, promote, clean] = readDocumentedCommands('docs/operations.md', 'A second Redis for events');
    await paste(attach);
    // Long enough that every process has seen the replica, so that the mark is there.
    await delay(11_000);
    settings = { EVENTS_REDIS_URL: newRedis.url, HOOK_PARTITIONS: '8' };
    await whileAllAreStopped(async () => void (await paste(promote)));
    const sinceMs = performance.now();
    await eventually(() => areAccepted(sinceMs), 'hooks are accepted', 30_000);
    await paste(clean);
    const reader = await openStoredStateReader(cluster.run.environment, newRedis.url);
    closeReader = reader.close;
    deployment = { ...deployment, readStored: reader.read };
    await delay(2_000);
    const isOfLog = (key: string) => /:(?:log|control)(?::|$)/.test(key);
    expect((await listKeys(newRedis)).filter((key) => !isOfLog(key) && !key.includes(':process'))).toEqual([]);
    expect((await listKeys(cluster.redis)).filter(isOfLog)).toEqual([]);
    await take('the event log has moved');
  });

  test('earlier numbers of partitions are forgotten', async () => {
    const [check = '', forget = ''] = readDocumentedCommands('docs/operations.md', 'Partitions of the hook queue');
    await load.pause();
    await cluster.run.waitUntilProcessed();
    await whileAllAreStopped(async () => {
      // `grep` ends with 1 if it prints nothing.
      expect(await paste(`${check.trim()} || true`)).toBe('');
      const [mongosh = '', removeKeys] = forget.split(/^(?=redis-cli)/m);
      expect(await countPartitions()).toEqual([4, 8]);
      await runMongosh(mongosh);
      await paste(removeKeys);
    });
    load.start();
    expect(await countPartitions()).toEqual([8]);
    await delay(2_000);
    expect((await listKeys(cluster.redis)).filter((key) => key.includes('hooks-4-'))).toEqual([]);
    await take('partitions forgotten');
  });

  async function inDatabase<T>(work: (db: ReturnType<MongoClient['db']>) => Promise<T>): Promise<T> {
    const { MONGODB_URL = '' } = cluster.run.environment;
    const client = await new MongoClient(MONGODB_URL).connect();
    return await work(client.db()).finally(() => client.close());
  }
  const countPartitions = () =>
    inDatabase(async (db) => (await db.collection('partitions').findOne({}))?.counts as readonly number[]);
  /** Runs the command by the driver, because mongosh need not be installed. */
  const runMongosh = (command: string) =>
    inDatabase(async (db) => {
      const [, collection = '', filter = '', update = ''] =
        /--eval 'db\.(\w+)\.updateOne\((\{.*?\}), (\[.*\])\)'/.exec(command) ?? [];
      const parse = (text: string) => JSON.parse(text.replaceAll(/([$\w]+):/g, '"$1":'));
      await db.collection(collection).updateOne(parse(filter), parse(update));
    });
});
