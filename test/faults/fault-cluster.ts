import { findDatabaseName } from '@widget-service/shared/runtime/host-name.ts';
import { type ClusterRun, openClusterRun } from '../drivers/cluster/cluster-run.ts';
import { setOptions } from '../drivers/cluster/component-options.ts';
import { mongodbUrlOf } from '../drivers/cluster/servers.ts';
import type { Environment } from '../drivers/cluster/service-process.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import { freePort } from '../drivers/tools/free-port.ts';
import { type Balancer, openBalancer } from './balancer.ts';
import { type RedisClusterProcesses, startRedisCluster } from './redis-cluster.ts';
import { type RedisProcess, startRedis } from './redis-process.ts';
import { createServiceSlot, type ServiceSlot } from './service-slot.ts';
import { openStoredStateReader, type ReadStoredState } from './stored-state.ts';
import { openTcpProxy, type TcpProxy } from './tcp-proxy.ts';

export interface FaultClusterOptions {
  readonly pods?: number;
  readonly workers?: number;
  /** Settings of every process. */
  readonly environment?: Environment;
  /** Main files to run instead of the apps' own, relative to the root of the repository. */
  readonly mains?: { readonly api: string; readonly worker: string };
  /** The checkout whose processes run at first. Default: this one. */
  readonly root?: string;
  /**
   * False: pods and workers connect to their stores directly and not through the links. For scenarios whose clients
   * keep this process busy, because traffic through the links would wait for them. Default: true.
   */
  readonly hasLinks?: boolean;
  /** A server to which pods and workers connect directly. What reads the stored state goes on to read MONGODB_URL. */
  readonly mongodbServer?: string | undefined;
  /** Further options of redis-server, such as a memory limit. */
  readonly redisOptions?: readonly string[];
  /** True: the event log and the control log are in a Redis of their own, `eventsRedis`. Default: false. */
  readonly hasEventsRedis?: boolean;
  /**
   * True: the Redis is a Redis Cluster, `redisCluster`, to which pods and workers connect directly. `redisLink` is then
   * for what reads the stores, and leads to one node. Default: false.
   */
  readonly hasRedisCluster?: boolean;
  /** What happens when the Redis runs and before pods and workers start. Returns further settings of every process. */
  readonly beforeStart?: (redis: RedisProcess) => Promise<Environment>;
}

/** A deployment of real processes. Scenarios can damage every part of it. */
export interface FaultCluster {
  /** The address for clients: the load balancer in front of the pods. */
  readonly url: string;
  readonly pods: readonly ServiceSlot[];
  readonly workers: readonly ServiceSlot[];
  readonly balancer: Balancer;
  /** The Redis of this cluster alone. */
  readonly redis: RedisProcess;
  /** Null unless `hasRedisCluster`. Then `redis` is its first node. */
  readonly redisCluster: RedisClusterProcesses | null;
  /** The Redis of the event log and the control log: `redis`, unless the cluster has one for them. */
  readonly eventsRedis: RedisProcess;
  /** The proxies through which all pods and workers connect to their stores. */
  readonly redisLink: TcpProxy;
  readonly eventsRedisLink: TcpProxy;
  readonly mongoLink: TcpProxy;
  /**
   * Opens a separate link to a store, for a process that is started with the returned environment. The caller closes
   * it.
   */
  openLinkFor(
    store: 'MONGODB_URL' | 'REDIS_URL',
  ): Promise<{ readonly link: TcpProxy; readonly environment: Environment }>;
  /** Kills and starts every pod and worker in turn. Resolves when the balancer sends requests to all pods. */
  restartAll(): Promise<void>;
  readonly run: ClusterRun;
  /** Reads the stores directly and not through the links. */
  readonly readStored: ReadStoredState;
  /** Kills the processes that still run, then removes the data. */
  dispose(): Promise<void>;
}

/** Short, so that streams send heartbeats within a scenario's time. */
const heartbeatIntervalMs = 2_000;

/** Starts 3 pods and 2 workers by default. Resolves when the load balancer sends requests to all pods. */
export async function openFaultCluster(options: FaultClusterOptions = {}): Promise<FaultCluster> {
  const cleanups: (() => Promise<unknown>)[] = [];
  const dispose = async () => {
    for (const cleanUp of cleanups.splice(0).reverse()) await cleanUp();
  };
  try {
    const cluster = await open(options, (cleanUp) => cleanups.push(cleanUp));
    return { ...cluster, dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

async function open(
  options: FaultClusterOptions,
  onDispose: (cleanUp: () => Promise<unknown>) => void,
): Promise<Omit<FaultCluster, 'dispose'>> {
  const { hasLinks = true } = options;
  const redisCluster = options.hasRedisCluster === true ? await startRedisCluster() : null;
  if (redisCluster !== null) onDispose(redisCluster.dispose);
  const redis = redisCluster?.nodes[0] ?? (await startRedis(options.redisOptions));
  onDispose(redis.dispose);
  const ownEventsRedis = options.hasEventsRedis === true ? await startRedis() : null;
  if (ownEventsRedis !== null) onDispose(ownEventsRedis.dispose);
  const eventsRedis = ownEventsRedis ?? redis;
  const redisLink = await openLink(redis.url);
  const readersUrl = redisCluster === null ? redis.url : routeThrough(redisLink, redis.url);
  const run = await openClusterRun({ redisUrl: readersUrl });
  const { MONGODB_URL = '' } = run.environment;
  const mongoLink = await openLink(MONGODB_URL);
  const eventsRedisLink = ownEventsRedis === null ? redisLink : await openLink(ownEventsRedis.url);
  onDispose(() => Promise.all([redisLink.close(), mongoLink.close(), eventsRedisLink.close()]));
  onDispose(run.dispose);
  const storeReader = await openStoredStateReader(
    run.environment,
    redisCluster === null ? eventsRedis.url : readersUrl,
  );
  onDispose(storeReader.close);
  const routeEvents = () => ({
    EVENTS_REDIS_URL: hasLinks ? routeThrough(eventsRedisLink, eventsRedis.url) : eventsRedis.url,
  });
  const routeTo = (server: string) => mongodbUrlOf(findDatabaseName(MONGODB_URL), server);
  const environment = {
    REDIS_URL: hasLinks ? routeThrough(redisLink, redis.url) : redis.url,
    ...(ownEventsRedis === null ? {} : routeEvents()),
    MONGODB_URL: hasLinks ? routeThrough(mongoLink, MONGODB_URL) : MONGODB_URL,
    ...(redisCluster === null ? {} : toClusterEnvironment(redisCluster)),
    // A small ring is full early, and a pod's heap stays comparable.
    ...setOptions({ heartbeatIntervalMs, ringFrames: 500 }),
    NODE_OPTIONS: `--import=${new URL('./collect-garbage.ts', import.meta.url).href}`,
    ...(options.mongodbServer === undefined ? {} : { MONGODB_URL: routeTo(options.mongodbServer) }),
    ...options.environment,
    ...(await options.beforeStart?.(redis)),
  };
  const podPorts = await Promise.all(
    Array.from({ length: options.pods ?? 3 }, (_, index) => reservePorts(`pod-${index}`)),
  );
  const pods = podPorts.map(({ name, port, opsPort }) => {
    const ports = { PORT: `${port}`, OPS_PORT: `${opsPort}` };
    return createServiceSlot(name, (extra, root) =>
      run.startApi({ ...environment, ...ports, ...extra }, options.mains?.api, root),
    );
  });
  const workerPorts = await Promise.all(Array.from({ length: options.workers ?? 2 }, () => freePort()));
  const workers = workerPorts.map((opsPort, index) =>
    createServiceSlot(`worker-${index}`, (extra, root) =>
      run.startWorker({ ...environment, OPS_PORT: `${opsPort}`, ...extra }, options.mains?.worker, root),
    ),
  );
  const balancer = await openBalancer(podPorts);
  onDispose(balancer.close);
  const [firstPod, ...others] = [...pods, ...workers];
  await firstPod?.start({}, options.root);
  await Promise.all(others.map((slot) => slot.start({}, options.root)));
  const areAllReady = async () => (await balancer.listReadyPods()).length === podPorts.length;
  await eventually(areAllReady, 'the load balancer sends requests to all pods');
  const restartAll = async () => {
    for (const slot of [...pods, ...workers]) {
      await slot.kill();
      await slot.start();
    }
    await eventually(areAllReady, 'the load balancer sends requests to all pods', 30_000);
  };
  const openLinkFor = async (store: 'MONGODB_URL' | 'REDIS_URL') => {
    const url = store === 'REDIS_URL' ? redis.url : MONGODB_URL;
    const link = await openLink(url);
    return { link, environment: { [store]: routeThrough(link, url) } };
  };
  return {
    ...{ url: balancer.url, pods, workers, balancer, redis, redisCluster, eventsRedis, openLinkFor, run, restartAll },
    ...{ redisLink, eventsRedisLink, mongoLink },
    readStored: storeReader.read,
  };
}

function toClusterEnvironment({ nodes }: RedisClusterProcesses): Environment {
  return {
    // Only the nodes know which of them owns the keys.
    REDIS_URL: `redis://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}/`,
  };
}

async function reservePorts(name: string) {
  return { name, port: await freePort(), opsPort: await freePort() };
}

function openLink(url: string): Promise<TcpProxy> {
  const { hostname, port, protocol } = new URL(url);
  return openTcpProxy({ host: hostname, port: Number(port || (protocol === 'redis:' ? 6379 : 27017)) });
}

/** Returns the address with the host and port of the link. */
function routeThrough(link: TcpProxy, url: string): string {
  const routed = new URL(url);
  routed.hostname = '127.0.0.1';
  routed.port = `${link.port}`;
  return routed.href;
}
