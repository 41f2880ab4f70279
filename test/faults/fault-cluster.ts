import { type ClusterRun, openClusterRun } from '../drivers/cluster-run.ts';
import { eventually } from '../drivers/eventually.ts';
import { freePort } from '../drivers/free-port.ts';
import type { Environment } from '../drivers/service-process.ts';
import { type Balancer, openBalancer } from './balancer.ts';
import { type RedisProcess, startRedis } from './redis-process.ts';
import { createServiceSlot, type ServiceSlot } from './service-slot.ts';
import { createStoredState, type ReadStoredState } from './stored-state.ts';
import { openTcpProxy, type TcpProxy } from './tcp-proxy.ts';

export interface FaultClusterOptions {
  readonly pods?: number;
  readonly workers?: number;
  /** For every process. */
  readonly environment?: Environment;
  /** The files that are run instead of the apps' own, from the root of the repository. */
  readonly mains?: { readonly api: string; readonly worker: string };
  /**
   * False: pods and workers reach their stores directly, and the links are nobody's. For scenarios whose own clients keep
   * this process busy: whatever goes by way of it would wait for them.
   */
  readonly hasLinks?: boolean;
  /** For a Redis that is bounded or syncs in another way: further options of redis-server. */
  readonly redisOptions?: readonly string[];
}

/** A deployment of real processes, every part of which can be damaged. */
export interface FaultCluster {
  /** Where clients connect: the balancer in front of the pods. */
  readonly url: string;
  readonly pods: readonly ServiceSlot[];
  readonly workers: readonly ServiceSlot[];
  readonly balancer: Balancer;
  /** This cluster's own. */
  readonly redis: RedisProcess;
  /** The wires over which every pod and worker reaches its stores. */
  readonly redisLink: TcpProxy;
  readonly mongoLink: TcpProxy;
  /** Another wire to a store, for a process that is started with this environment. Whoever opens it closes it. */
  openLinkFor(
    store: 'MONGODB_URL' | 'REDIS_URL',
  ): Promise<{ readonly link: TcpProxy; readonly environment: Environment }>;
  readonly run: ClusterRun;
  /** Looks at the stores directly, past the links. */
  readonly readStored: ReadStoredState;
  /** Kills what still runs and removes the data. */
  dispose(): Promise<void>;
}

/** Half as long as an event is waited for in vain, so that a stream's heartbeats are seen in a scenario's time. */
const heartbeatIntervalMs = '2000';

/** Starts 3 pods and 2 workers by default, and resolves when the balancer sends requests to all of them. */
export async function openFaultCluster(options: FaultClusterOptions = {}): Promise<FaultCluster> {
  const opened: (() => Promise<unknown>)[] = [];
  const dispose = async () => {
    for (const close of opened.splice(0).reverse()) await close();
  };
  try {
    const cluster = await open(options, (close) => opened.push(close));
    return { ...cluster, dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

async function open(
  options: FaultClusterOptions,
  onDispose: (close: () => Promise<unknown>) => void,
): Promise<Omit<FaultCluster, 'dispose'>> {
  const { hasLinks = true } = options;
  const redis = await startRedis(options.redisOptions);
  onDispose(redis.dispose);
  const run = await openClusterRun({ redisUrl: redis.url });
  const { MONGODB_URL = '' } = run.environment;
  const [redisLink, mongoLink] = await Promise.all([openLink(redis.url), openLink(MONGODB_URL)]);
  onDispose(() => Promise.all([redisLink.close(), mongoLink.close()]));
  onDispose(run.dispose);
  const stored = await createStoredState(run.environment, redis.url);
  onDispose(stored.close);
  const environment = {
    REDIS_URL: hasLinks ? through(redisLink, redis.url) : redis.url,
    MONGODB_URL: hasLinks ? through(mongoLink, MONGODB_URL) : MONGODB_URL,
    HEARTBEAT_INTERVAL_MS: heartbeatIntervalMs,
    // Full after a short while, so that the heap of a pod can be compared with what it was.
    RING_FRAMES: '500',
    NODE_OPTIONS: `--import=${new URL('./collect-garbage.ts', import.meta.url).href}`,
    ...options.environment,
  };
  const places = await Promise.all(Array.from({ length: options.pods ?? 3 }, (_, index) => placeOf(`pod-${index}`)));
  const pods = places.map(({ name, port, opsPort }) => {
    const at = { PORT: `${port}`, OPS_PORT: `${opsPort}` };
    return createServiceSlot(name, (extra) => run.startApi({ ...environment, ...at, ...extra }, options.mains?.api));
  });
  const workers = Array.from({ length: options.workers ?? 2 }, (_, index) =>
    createServiceSlot(`worker-${index}`, (extra) =>
      run.startWorker({ ...environment, ...extra }, options.mains?.worker),
    ),
  );
  const balancer = await openBalancer(places);
  onDispose(balancer.close);
  for (const slot of [...pods, ...workers]) await slot.start();
  await eventually(async () => (await balancer.ready()).length === places.length, 'the balancer knows all pods');
  const openLinkFor = async (store: 'MONGODB_URL' | 'REDIS_URL') => {
    const url = store === 'REDIS_URL' ? redis.url : MONGODB_URL;
    const link = await openLink(url);
    return { link, environment: { [store]: through(link, url) } };
  };
  return {
    ...{ url: balancer.url, pods, workers, balancer, redis, redisLink, mongoLink, openLinkFor, run },
    readStored: stored.read,
  };
}

async function placeOf(name: string) {
  return { name, port: await freePort(), opsPort: await freePort() };
}

function openLink(url: string): Promise<TcpProxy> {
  const { hostname, port, protocol } = new URL(url);
  return openTcpProxy({ host: hostname, port: Number(port || (protocol === 'redis:' ? 6379 : 27017)) });
}

function through(link: TcpProxy, url: string): string {
  const other = new URL(url);
  other.hostname = '127.0.0.1';
  other.port = `${link.port}`;
  return other.href;
}
