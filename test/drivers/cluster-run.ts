import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { BSON, MongoClient } from 'mongodb';
import { testAdmin } from './console-client.ts';
import { type Environment, type ServiceProcess, startService } from './service-process.ts';

/** One deployment of the cluster, on a database and key prefix of its own. */
export interface ClusterRun {
  readonly environment: Environment;
  /** `main` is the file that is run, where it is not the app's own. */
  startApi(extra?: Environment, main?: string): Promise<ServiceProcess>;
  startWorker(extra?: Environment, main?: string): Promise<ServiceProcess>;
  /** How many widgets have something in their outbox. */
  outboxesLeft(): Promise<number>;
  /** Jobs of the hook queue in any state. */
  jobsLeft(): Promise<number>;
  /** The ids of the jobs that a worker has taken and not given back. */
  jobsTaken(): Promise<string[]>;
  /** Every document of the database, as text. */
  dumpDatabase(): Promise<string>;
  /** Kills what still runs and removes the data. */
  dispose(): Promise<void>;
}

export interface ClusterRunOptions {
  /** Instead of the shared one: for scenarios that kill it. */
  readonly redisUrl?: string;
}

/** Needs MONGODB_URL, and REDIS_URL unless a Redis is given. */
export async function openClusterRun(options: ClusterRunOptions = {}): Promise<ClusterRun> {
  const mongodbUrl = requiredUrl('MONGODB_URL');
  const redisUrl = options.redisUrl ?? requiredUrl('REDIS_URL');
  const name = `scenario-${randomBytes(6).toString('hex')}`;
  const environment = {
    MONGODB_URL: mongodbUrl,
    MONGODB_DATABASE: name,
    REDIS_URL: redisUrl,
    REDIS_KEY_PREFIX: name,
    HOST: '127.0.0.1',
    COOKIE_SECURE: 'false',
    ADMIN_EMAIL: testAdmin.email,
    ADMIN_PASSWORD: testAdmin.password,
    // Scenarios send as fast as they can; the one about limits sets its own.
    HOOK_RATE_PER_SECOND: '0',
    API_RATE_PER_SECOND: '0',
  };
  const mongo = await new MongoClient(mongodbUrl).connect();
  const redis = new Redis(redisUrl);
  redis.on('error', () => undefined);
  const processes: ServiceProcess[] = [];
  const start = async (app: 'api' | 'worker', extra: Environment = {}, main?: string) => {
    const service = await startService(app, { ...environment, ...extra }, main);
    processes.push(service);
    return service;
  };
  return {
    environment,
    startApi: (extra, main) => start('api', extra, main),
    startWorker: (extra, main) => start('worker', extra, main),
    outboxesLeft: () =>
      mongo
        .db(name)
        .collection('widgets')
        .countDocuments({ 'outbox.0': { $exists: true } }),
    jobsLeft: () => countJobs(redis, name),
    jobsTaken: async () => {
      const lists = await scan(redis, `{${name}}*:active`);
      return (await Promise.all(lists.map((key) => redis.lrange(key, 0, -1)))).flat();
    },
    dumpDatabase: async () => {
      const collections = await mongo.db(name).collections();
      const documents = await Promise.all(collections.map((collection) => collection.find({}).toArray()));
      return BSON.EJSON.stringify(documents);
    },
    dispose: async () => {
      await Promise.all(processes.map((service) => service.stop('SIGKILL')));
      await mongo.db(name).dropDatabase();
      await mongo.close();
      await removeKeys(redis, name);
      redis.disconnect();
    },
  };
}

async function countJobs(redis: Redis, prefix: string): Promise<number> {
  const lists = await scan(redis, `{${prefix}}*:wait`);
  const active = await scan(redis, `{${prefix}}*:active`);
  const lengths = await Promise.all([...lists, ...active].map((key) => redis.llen(key)));
  return lengths.reduce((sum, length) => sum + length, 0);
}

async function removeKeys(redis: Redis, prefix: string): Promise<void> {
  const keys = await scan(redis, `{${prefix}}*`).catch(() => []);
  for (let at = 0; at < keys.length; at += 1_000) await redis.unlink(keys.slice(at, at + 1_000)).catch(() => 0);
}

async function scan(redis: Redis, pattern: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const page of redis.scanStream({ match: pattern, count: 1_000 })) keys.push(...(page as string[]));
  return keys;
}

function requiredUrl(name: 'MONGODB_URL' | 'REDIS_URL'): string {
  const url = process.env[name];
  if (url === undefined || url === '')
    throw new Error(`${name} is not set: scenarios of the cluster need real servers`);
  return url;
}
