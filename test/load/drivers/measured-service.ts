import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { findRedisKeys } from '@widget-service/cluster/redis/keys.ts';
import { databaseFileName } from '@widget-service/embedded/open-database.ts';
import { Redis } from 'ioredis';
import { type ConsoleClient, createWidgets, signIn, testAdmin } from '../../drivers/app/console-client.ts';
import { openClusterRun } from '../../drivers/cluster/cluster-run.ts';

export type BackendName = 'embedded' | 'cluster';

/** One process of the service. It logs to a file, as a pod's log goes to the node's disk. */
interface MeasuredProcess {
  readonly pid: number;
  readonly url: string;
  /** Sends SIGTERM and waits for the end. */
  stop(): Promise<void>;
}

/** The service, started as an operator starts it, without rate limits. It has data of its own. */
export interface MeasuredService {
  readonly backend: BackendName;
  /** The first pod. */
  readonly api: MeasuredProcess;
  readonly client: ConsoleClient;
  /** Null on the embedded backend. */
  readonly redis: Redis | null;
  /** The folder with the SQLite file. Null on the cluster. */
  readonly dataFolder: string | null;
  /** Starts another pod. Only on the cluster. */
  startApi(): Promise<MeasuredProcess>;
  /** Starts a worker. On the embedded backend the api is the worker. */
  startWorker(): Promise<MeasuredProcess>;
  /**
   * Returns how many events were appended to the log so far. It asks the store: a process that is asked for its metrics
   * formats all of them, and would be measured with that.
   */
  countEvents(): Promise<number>;
  /** Stops all processes and removes the data. */
  dispose(): Promise<void>;
}

type Environment = Readonly<Record<string, string>>;

const root = fileURLToPath(new URL('../../../', import.meta.url));
const sharedEnvironment = {
  ADMIN_EMAIL: testAdmin.email,
  ADMIN_PASSWORD: testAdmin.password,
  COOKIE_SECURE: 'false',
  HOST: '127.0.0.1',
  HOOK_RATE_PER_SECOND: '0',
  API_RATE_PER_SECOND: '0',
  STREAMS_PER_OWNER: '100000',
  STREAMS_PER_POD: '100000',
  DRAIN_DELAY_MS: '0',
};

/** The backends that can be measured here. The cluster needs MONGODB_URL and REDIS_URL. BENCH_BACKEND selects one. */
export function listBackends(): BackendName[] {
  const { BENCH_BACKEND, MONGODB_URL, REDIS_URL } = process.env;
  const hasServers = MONGODB_URL !== undefined && REDIS_URL !== undefined;
  const available: BackendName[] = hasServers ? ['embedded', 'cluster'] : ['embedded'];
  return available.filter((backend) => BENCH_BACKEND === undefined || BENCH_BACKEND === backend);
}

/** `BENCH_SETTINGS`: settings that win over those of the benchmark, as `NAME=VALUE` with spaces between. */
function readBenchSettings(): Environment {
  const entries = (process.env.BENCH_SETTINGS ?? '').split(' ').filter((entry) => entry !== '');
  return Object.fromEntries(
    entries.map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
  );
}

export async function startMeasuredService(
  backend: BackendName,
  extraEnvironment: Environment = {},
): Promise<MeasuredService> {
  const logFolder = mkdtempSync(join(tmpdir(), 'widget-bench-log-'));
  const store = backend === 'embedded' ? openEmbeddedStore() : await openClusterStore();
  const environment = { ...sharedEnvironment, ...store.environment, ...extraEnvironment, ...readBenchSettings() };
  const processes: MeasuredProcess[] = [];
  const start = async (app: 'api' | 'worker') => {
    const logFile = join(logFolder, `${app}-${processes.length}.log`);
    const started = await startProcess(app, environment, logFile);
    processes.push(started);
    return started;
  };
  const api = await start('api');
  return {
    ...{ backend, api },
    client: await signIn(api.url),
    redis: store.redis,
    dataFolder: store.dataFolder,
    startApi: () => start('api'),
    startWorker: () => (backend === 'embedded' ? Promise.resolve(api) : start('worker')),
    countEvents: store.countEvents,
    dispose: async () => {
      await Promise.all(processes.map((one) => one.stop()));
      await store.remove();
      rmSync(logFolder, { recursive: true });
    },
  };
}

/**
 * Creates widgets over HTTP, and waits until their events are in the log: a stream that is opened afterwards does not
 * show them. Needs a running worker.
 */
export async function createPublishedWidgets(service: MeasuredService, count: number): Promise<string[]> {
  const eventsBefore = await service.countEvents();
  const ids = await createManyWidgets(service.client, count);
  await waitForEvents(service, eventsBefore + count);
  return ids;
}

/** Waits until this many events were appended to the log. */
export async function waitForEvents(service: MeasuredService, count: number): Promise<void> {
  while ((await service.countEvents()) < count) await delay(50);
}

/** Creates widgets over HTTP, at most 100 at once. */
export async function createManyWidgets(client: ConsoleClient, count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) ids.push(...(await createWidgets(client, Math.min(100, count - ids.length))));
  return ids;
}

/** The arguments of `npm run start:api` or `npm run start:worker`, without `exec node`. */
function readStartArguments(app: 'api' | 'worker'): string[] {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  return (scripts[`start:${app}`] ?? '').split(' ').slice(2);
}

async function startProcess(
  app: 'api' | 'worker',
  environment: Environment,
  logFile: string,
): Promise<MeasuredProcess> {
  const log = openSync(logFile, 'a');
  const child = spawn(
    process.execPath,
    [...(process.env.BENCH_NODE_OPTIONS?.split(' ') ?? []), ...readStartArguments(app)],
    {
      cwd: root,
      env: { PATH: process.env.PATH ?? '', PORT: '0', OPS_PORT: '0', ...environment },
      stdio: ['ignore', log, 'inherit'],
    },
  );
  const exited = once(child, 'exit');
  for (;;) {
    const line = readFileSync(logFile, 'utf8')
      .split('\n')
      .find((text) => text.includes('"msg":"listening"'));
    if (line !== undefined) {
      const { public: address } = JSON.parse(line) as { public?: { port: number } };
      const url = address === undefined ? '' : `http://127.0.0.1:${address.port}`;
      const stop = async () => {
        if (child.exitCode === null && child.signalCode === null) child.kill();
        await exited;
      };
      return { pid: child.pid ?? 0, url, stop };
    }
    if (child.exitCode !== null)
      throw new Error(`${app} ended with ${child.exitCode}: ${readFileSync(logFile, 'utf8')}`);
    await delay(20);
  }
}

interface Store {
  readonly environment: Environment;
  readonly redis: Redis | null;
  readonly dataFolder: string | null;
  /** The numbers of events rise without a hole, so the highest one is their count. 0 before the first event. */
  countEvents(): Promise<number>;
  remove(): Promise<void>;
}

function openEmbeddedStore(): Store {
  const dataFolder = mkdtempSync(join(tmpdir(), 'widget-bench-data-'));
  let database: DatabaseSync | null = null;
  return {
    environment: { DATA_DIR: dataFolder },
    redis: null,
    dataFolder,
    countEvents: async () => {
      database ??= new DatabaseSync(join(dataFolder, databaseFileName), { readOnly: true });
      return Number(database.prepare('SELECT coalesce(max(seq), 0) AS count FROM events').get()?.count);
    },
    remove: async () => {
      database?.close();
      rmSync(dataFolder, { recursive: true });
    },
  };
}

async function openClusterStore(): Promise<Store> {
  const run = await openClusterRun();
  const { MONGODB_URL = '', REDIS_URL = '' } = run.environment;
  const redis = new Redis(REDIS_URL);
  const { logMeta } = findRedisKeys({ MONGODB_URL });
  return {
    environment: run.environment,
    redis,
    dataFolder: null,
    countEvents: async () => Number(await redis.hget(logMeta, 'seq')),
    remove: async () => {
      redis.disconnect();
      await run.dispose();
    },
  };
}
