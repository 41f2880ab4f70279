import { isDeepStrictEqual } from 'node:util';
import type { RedisOptions } from 'ioredis';
import { createOwnerConnector, createReplicaConnector } from './cluster-connector.ts';
import { redisKeys } from './keys.ts';
import { type Address, SlotOwnerFinder } from './slot-owner.ts';

export type RedisSetting = 'REDIS_URL' | 'EVENTS_REDIS_URL';

export type OnWarning = (message: string, details?: object) => void;

/** For a URL with `rediss:`. Each text is in PEM; null: Node's own authorities, or no client certificate. */
export interface RedisTlsOptions {
  readonly ca: string | null;
  readonly cert: string | null;
  readonly key: string | null;
}

export interface RedisTarget {
  readonly url: string;
  /** Left out: like three nulls. */
  readonly tls?: RedisTlsOptions;
  /** With Sentinels, the host and port of `url` are not used. Null or left out: `url` leads to Redis itself. */
  readonly sentinels?: TargetSentinels | null;
  /** With a Redis Cluster, the host and port of `url` are not used. Null or left out: it is none. */
  readonly clusterConnector?: NonNullable<RedisOptions['Connector']> | null;
  /** With a Redis Cluster: leads to a replica of the node to which `clusterConnector` leads. */
  readonly replicaConnector?: NonNullable<RedisOptions['Connector']> | null;
  /** The setting that names this Redis, for messages. */
  readonly setting: RedisSetting;
  readonly onWarning: OnWarning;
}

interface Sentinels {
  readonly addresses: readonly Address[];
  /** For the Sentinels themselves. Null: they demand none. */
  readonly username: string | null;
  readonly password: string | null;
  readonly hasTls: boolean;
}

/** The Sentinels, and the name by which they know this Redis. */
interface TargetSentinels extends Sentinels {
  readonly name: string;
}

/** The Sentinels, and the names by which they know the Redis of the queue and that of the event log. */
export interface SentinelOptions extends Sentinels {
  readonly queueName: string;
  /** Null: they do not know it. */
  readonly eventsName: string | null;
}

/** Nodes of the Redis Cluster that holds the queue, and of the one that holds the event log. Null: it is no cluster. */
export interface ClusterNodeOptions {
  readonly queue: readonly Address[] | null;
  readonly events: readonly Address[] | null;
}

interface TargetOptions {
  readonly redisUrl: string;
  readonly eventsRedisUrl?: string | null;
  readonly redisTls?: RedisTlsOptions;
  readonly sentinels?: SentinelOptions | null;
  readonly clusterNodes?: ClusterNodeOptions;
  readonly redisKeyPrefix: string;
}

/** `events` is `queue` if both have one Redis. */
export interface RedisTargets {
  /** The Redis of the queue and of the rate limits. */
  readonly queue: RedisTarget;
  /** The Redis of the event log and the control log. */
  readonly events: RedisTarget;
}

export function findTargets(options: TargetOptions, onWarning: OnWarning): RedisTargets {
  const { redisUrl, eventsRedisUrl = null, redisTls, sentinels = null, clusterNodes, redisKeyPrefix } = options;
  const keyInSlot = redisKeys(redisKeyPrefix).log;
  const build = (setting: RedisSetting, url: string, name: string | null, nodes: readonly Address[] | null) => {
    const finder = nodes === null ? null : new SlotOwnerFinder(nodes, keyInSlot);
    return {
      ...{ url, setting, onWarning },
      ...(redisTls === undefined ? {} : { tls: redisTls }),
      sentinels: sentinels === null || name === null ? null : { ...sentinels, name },
      clusterConnector: finder === null ? null : createOwnerConnector(finder),
      replicaConnector: finder === null ? null : createReplicaConnector(finder),
    };
  };
  const { queueName = null, eventsName = null } = sentinels ?? {};
  const { queue: queueNodes = null, events: eventsNodes = null } = clusterNodes ?? {};
  const queue = build('REDIS_URL', redisUrl, queueName, queueNodes);
  const isOne = isDeepStrictEqual([redisUrl, queueName, queueNodes], [eventsRedisUrl, eventsName, eventsNodes]);
  if (eventsRedisUrl === null || isOne) return { queue, events: queue };
  return { queue, events: build('EVENTS_REDIS_URL', eventsRedisUrl, eventsName, eventsNodes) };
}
