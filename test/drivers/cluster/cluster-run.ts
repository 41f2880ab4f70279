import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { BSON, type Db, MongoClient } from 'mongodb';
import { testAdmin } from '../app/console-client.ts';
import { eventually } from '../tools/eventually.ts';
import { listKeys, mongodbUrlOf, removeKeys, requireServerUrl } from './servers.ts';
import { type Environment, type ServiceProcess, startService } from './service-process.ts';

/** One cluster deployment with its own database. */
export interface ClusterRun {
  readonly environment: Environment;
  /** Starts `main` instead of the app's own main file, and the checkout `root` instead of this one, if given. */
  startApi(extra?: Environment, main?: string, root?: string): Promise<ServiceProcess>;
  startWorker(extra?: Environment, main?: string, root?: string): Promise<ServiceProcess>;
  /** Counts the widgets whose outbox is not empty. */
  countOutboxes(): Promise<number>;
  /** Counts the waiting and started jobs of the hook queue. */
  countJobs(): Promise<number>;
  /** Waits until the queue and the outboxes are empty. */
  waitUntilProcessed(withinMs?: number): Promise<void>;
  /** Returns the ids of the jobs that a worker has started and not completed or released. */
  listStartedJobs(): Promise<string[]>;
  /** Returns every document of the database, as text. */
  dumpDatabase(): Promise<string>;
  /** Kills the processes that still run, then removes the data. */
  dispose(): Promise<void>;
}

export interface ClusterRunOptions {
  /** A Redis of the scenario's own, which it may kill. Default: REDIS_URL. */
  readonly redisUrl?: string;
}

/** Needs the environment variable MONGODB_URL, and REDIS_URL unless `redisUrl` is given. */
export async function openClusterRun(options: ClusterRunOptions = {}): Promise<ClusterRun> {
  const redisUrl = options.redisUrl ?? requireServerUrl('REDIS_URL');
  const name = `scenario-${randomBytes(6).toString('hex')}`;
  const environment = {
    MONGODB_URL: mongodbUrlOf(name),
    REDIS_URL: redisUrl,
    HOST: '127.0.0.1',
    COOKIE_SECURE: 'false',
    ADMIN_EMAIL: testAdmin.email,
    ADMIN_PASSWORD: testAdmin.password,
    // Scenarios send as fast as they can. The scenario about rate limits sets its own limits.
    HOOK_RATE_PER_SECOND: '0',
    API_RATE_PER_SECOND: '0',
  };
  const mongo = await new MongoClient(environment.MONGODB_URL).connect();
  const redis = new Redis(redisUrl);
  redis.on('error', () => undefined);
  const starts: Promise<ServiceProcess>[] = [];
  const start = (app: 'api' | 'worker', extra: Environment = {}, main?: string, root?: string) => {
    const service = startService(app, { ...environment, ...extra }, main, root);
    starts.push(service);
    return service;
  };
  const countOutboxes = () =>
    mongo
      .db()
      .collection('widgets')
      .countDocuments({ 'outbox.0': { $exists: true } });
  const countJobs = () => countQueuedJobs(redis, name);
  return {
    environment,
    startApi: (extra, main, root) => start('api', extra, main, root),
    startWorker: (extra, main, root) => start('worker', extra, main, root),
    countOutboxes,
    countJobs,
    waitUntilProcessed: (withinMs) =>
      eventually(
        async () => (await countJobs()) === 0 && (await countOutboxes()) === 0,
        'the queue and the outboxes are empty',
        withinMs,
      ),
    listStartedJobs: async () => {
      const lists = await listKeys(redis, `{${name}}*:active`);
      return (await Promise.all(lists.map((key) => redis.lrange(key, 0, -1)))).flat();
    },
    dumpDatabase: () => dumpDatabase(mongo.db()),
    dispose: async () => {
      await Promise.allSettled(starts.map(async (service) => (await service).stop('SIGKILL')));
      await mongo.db().dropDatabase();
      await mongo.close();
      // The scenario may have killed its Redis.
      await removeKeys(redis, `{${name}}*`).catch(() => undefined);
      redis.disconnect();
    },
  };
}

/** Returns every document of a database, as text. */
export async function dumpDatabase(db: Db): Promise<string> {
  const collections = await db.collections();
  const documents = await Promise.all(collections.map((collection) => collection.find({}).toArray()));
  return BSON.EJSON.stringify(documents);
}

/** Counts the waiting and started jobs of the hook queue. */
export async function countQueuedJobs(redis: Redis, prefix: string): Promise<number> {
  const waiting = await listKeys(redis, `{${prefix}}*:wait`);
  const active = await listKeys(redis, `{${prefix}}*:active`);
  const lengths = await Promise.all([...waiting, ...active].map((key) => redis.llen(key)));
  return lengths.reduce((sum, length) => sum + length, 0);
}
