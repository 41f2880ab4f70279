import { Redis } from 'ioredis';
import { eventually } from '../drivers/tools/eventually.ts';
import { type RedisProcess, startRedis } from './redis-process.ts';

/** A Redis Cluster of three primaries. The first one owns nearly all slots, and has a replica. */
export interface RedisClusterProcesses {
  readonly nodes: readonly RedisProcess[];
  /** The owner of the slots as the two others know it, and its replica or former owner. */
  findRoles(): Promise<{ owner: RedisProcess; replica: RedisProcess }>;
  /** Performs a planned failover to the replica. Resolves when the other nodes know the new owner. */
  failOver(): Promise<void>;
  dispose(): Promise<void>;
}

/** A node that is silent for `downAfterMs` counts as lost, and its replica takes over. */
export async function startRedisCluster(downAfterMs = 3_000): Promise<RedisClusterProcesses> {
  const options = ['--cluster-enabled', 'yes', '--cluster-node-timeout', `${downAfterMs}`];
  // A cluster goes on if a node without our slot is lost, and a replica takes over however old its data is.
  const lenient = ['--cluster-require-full-coverage', 'no', '--cluster-replica-validity-factor', '0'];
  const nodes = await Promise.all([1, 2, 3, 4].map(() => startRedis([...options, ...lenient])));
  const [first, second, third, replica] = nodes as [RedisProcess, RedisProcess, RedisProcess, RedisProcess];
  // Only a node with slots has a vote. Our keys are in the two last ones with a probability of 1 to 8 192.
  await first.send('CLUSTER', 'ADDSLOTSRANGE', '0', '16381');
  await second.send('CLUSTER', 'ADDSLOTS', '16382');
  await third.send('CLUSTER', 'ADDSLOTS', '16383');
  await Promise.all(nodes.map((node, at) => node.send('CLUSTER', 'SET-CONFIG-EPOCH', `${at + 1}`)));
  for (const node of nodes.slice(1)) await node.send('CLUSTER', 'MEET', '127.0.0.1', `${first.port}`);
  const knowsAll = async (node: RedisProcess) =>
    (await node.send('CLUSTER', 'INFO')).includes('cluster_known_nodes:4') &&
    (await node.send('CLUSTER', 'INFO')).includes('cluster_state:ok');
  const areMet = async () => (await Promise.all(nodes.map(knowsAll))).every(Boolean);
  await eventually(areMet, 'the nodes know each other', 30_000);
  await replica.send('CLUSTER', 'REPLICATE', await first.send('CLUSTER', 'MYID'));
  await eventually(() => replica.isInSync(), 'the replica is in sync', 30_000);

  const readOwnerPort = async () => {
    const ports = await Promise.all([second, third].map((node) => readOwner(node.port)));
    return ports[0] === ports[1] ? ports[0] : null;
  };
  const findRoles = async () => {
    let port: number | null | undefined = null;
    const areAgreed = async () => {
      port = await readOwnerPort();
      return port !== null;
    };
    await eventually(areAgreed, 'the nodes agree on the owner');
    return port === first.port ? { owner: first, replica } : { owner: replica, replica: first };
  };
  return {
    nodes,
    findRoles,
    failOver: async () => {
      const { replica: next } = await findRoles();
      const isOwner = async () => (await readOwnerPort()) === next.port;
      // A node gives up after 5 s, for example on a busy machine.
      for (let tries = 0; tries < 5 && !(await isOwner()); tries += 1) {
        await next.send('CLUSTER', 'FAILOVER');
        await eventually(isOwner, 'another owner', 6_000).catch(() => undefined);
      }
      await eventually(isOwner, 'another owner', 6_000);
    },
    dispose: async () => {
      await Promise.all(nodes.map((node) => node.dispose()));
    },
  };
}

async function readOwner(port: number): Promise<number | null> {
  const redis = new Redis(port, '127.0.0.1', { protocol: 2, maxRetriesPerRequest: 1 });
  redis.on('error', () => undefined);
  try {
    const ranges = (await redis.call('CLUSTER', 'SLOTS')) as [number, number, [string, number]][];
    return ranges.find(([start]) => start === 0)?.[2][1] ?? null;
  } finally {
    redis.disconnect();
  }
}
