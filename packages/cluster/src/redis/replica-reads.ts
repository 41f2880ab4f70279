import { Redis, type RedisOptions } from 'ioredis';
import { ignoreErrors } from './connection-errors.ts';
import { blockingReadOptions } from './connections.ts';
import type { Address } from './slot-owner.ts';
import { toSentinelOptions, toTlsOptions } from './target-options.ts';
import type { OnWarning, RedisTarget } from './targets.ts';

/** The replicas of the event log's Redis from which tails read. */
export interface ReplicaReads {
  /** 1 if the Sentinels or the Redis Cluster choose one of several for each connection. */
  readonly count: number;
  /** Opens a connection for one tail to the replica of this index. It does not reconnect, and reports no errors. */
  connectTail(index: number): Redis;
  readonly onWarning: OnWarning;
}

/** `replicas` stands for those that the Sentinels or the Redis Cluster of the target name. */
export function findReplicas(target: RedisTarget, replicas: 'replicas' | readonly Address[]): ReplicaReads {
  const { onWarning, clusterConnector = null } = target;
  const connect = (url: string, options: Omit<RedisOptions, 'replyMapping'>) => {
    // A replica in a Redis Cluster sends readers to the owner, unless they say READONLY.
    const readOnly = clusterConnector !== null;
    const redis = new Redis(url, {
      ...blockingReadOptions,
      ...toTlsOptions(target),
      ...options,
      readOnly,
      connectionName: 'widget-service:tail',
    });
    ignoreErrors(redis);
    return redis;
  };
  if (replicas === 'replicas') {
    return { count: 1, connectTail: () => connect(target.url, toReplicaOptions(target)), onWarning };
  }
  const urls = replicas.map((address) => replaceAddress(target.url, address));
  return { count: urls.length, connectTail: (index) => connect(urls[index] ?? target.url, {}), onWarning };
}

function toReplicaOptions(target: RedisTarget) {
  const { replicaConnector = null } = target;
  if (replicaConnector !== null) return { Connector: replicaConnector };
  // The connection ends if the Sentinels know no replica. Then the tail reads elsewhere.
  return {
    ...toSentinelOptions(target),
    role: 'slave',
    failoverDetector: false,
    sentinelRetryStrategy: () => null,
  } as const;
}

function replaceAddress(url: string, { host, port }: Address): string {
  const replaced = new URL(url);
  replaced.hostname = host.includes(':') ? `[${host}]` : host;
  replaced.port = `${port}`;
  return replaced.href;
}
