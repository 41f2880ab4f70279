import { describeError, UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { isContiguous, type LogPosition } from '@widget-service/shared/domain/log-position.ts';
import type { EventTail, LogRecord } from '@widget-service/shared/ports/event-log.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import { Redis, type RedisOptions } from 'ioredis';
import type { Address } from './cluster-connector.ts';
import { ignoreErrors } from './connection-errors.ts';
import { blockingReadOptions } from './connections.ts';
import { type OnWarning, type RedisTarget, toSentinelOptions, toTlsOptions } from './redis-failover.ts';

export interface ReplicaTailOptions {
  /** Opens a reader on the primary, or on the replica with this index. */
  readonly openPrimary: () => EventTail;
  readonly openReplica: (index: number) => EventTail;
  readonly replicaCount: number;
  /** Returns the end of the log on the primary. Null: there is no log yet. */
  readonly readEnd: () => Promise<LogPosition | null>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly onWarning: (message: string, details: object) => void;
}

type Source = number | 'primary';

/** How far a replica may be behind the primary. Also how often they are compared. */
const behindMaxMs = 2_000;
/** How long a replica is not used after trouble: a random time up to twice this, so that pods do not return at once. */
const restMs = 10_000;

/**
 * Reads new events from a replica of Redis, so that the primary does not serve the tails of all pods (ADR 47).
 *
 * A replica may be behind, stand still, or hold events that a failover has lost. So the tail takes only events that
 * directly continue the caller's position. If a replica has other events, fails, or is more than two seconds behind,
 * the tail leaves it for a while and reads another one, or the primary if none is left. The call then returns no
 * events, and the caller compares its position with the primary, as after every empty read.
 *
 * If a failover loses an event that was read from a replica, the next event does not name it as its predecessor. This
 * is noticed as for an event from the primary (ADR 11).
 */
export class ReplicaTail implements EventTail {
  readonly #options: ReplicaTailOptions;
  readonly #restsUntilMs: number[];
  #current: { readonly source: Source; readonly reader: EventTail } | null = null;
  /** The end of the primary's log, and when it was asked for. */
  #end: { readonly position: LogPosition; readonly askedAtMs: number } | null = null;
  #isAsking = false;
  #isClosed = false;

  constructor(options: ReplicaTailOptions) {
    this.#options = options;
    this.#restsUntilMs = Array.from({ length: options.replicaCount }, () => 0);
  }

  async next(after: LogPosition, limit: number): Promise<LogRecord[]> {
    if (this.#isClosed) throw new UnavailableError('event tail: closed');
    const { source, reader } = this.#chooseReader();
    if (source === 'primary') return reader.next(after, limit);
    if (this.#isBehind(after)) return this.#leave(source, 'it is behind the primary');
    try {
      const records = await reader.next(after, limit);
      if (isContiguous(after, records)) return records;
    } catch (error) {
      return this.#leave(source, describeError(error));
    }
    return this.#leave(source, 'its log does not continue at the position of the tail');
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#current?.reader.close();
    this.#current = null;
  }

  #chooseReader(): { readonly source: Source; readonly reader: EventTail } {
    const current = this.#current;
    if (current !== null && current.source !== 'primary') return current;
    const nowMs = this.#options.clock.monotonicMs();
    const rested = this.#restsUntilMs.flatMap((untilMs, index) => (untilMs <= nowMs ? [index] : []));
    const index = rested[Math.floor(Math.random() * rested.length)];
    if (index === undefined && current !== null) return current;
    void current?.reader.close();
    const { openPrimary, openReplica } = this.#options;
    this.#end = null;
    this.#current =
      index === undefined
        ? { source: 'primary', reader: openPrimary() }
        : { source: index, reader: openReplica(index) };
    return this.#current;
  }

  #leave(source: number, reason: string): LogRecord[] {
    // The error may only come from the close.
    if (this.#isClosed) throw new UnavailableError('event tail: closed');
    const { clock, onWarning } = this.#options;
    onWarning('the event log is read from another server than this replica for a while', { replica: source, reason });
    this.#restsUntilMs[source] = clock.monotonicMs() + restMs * (1 + Math.random());
    void this.#current?.reader.close();
    this.#current = null;
    return [];
  }

  /** Whether the caller is behind the position that the primary had two seconds ago. */
  #isBehind(position: LogPosition): boolean {
    const nowMs = this.#options.clock.monotonicMs();
    const end = this.#end;
    if (end === null || nowMs - end.askedAtMs < behindMaxMs) {
      if (end === null) this.#askForEnd(nowMs);
      return false;
    }
    this.#end = null;
    return position.epoch !== end.position.epoch || position.seq < end.position.seq;
  }

  /** Asks in the background. If there is no answer, the next call asks again. */
  #askForEnd(askedAtMs: number): void {
    if (this.#isAsking) return;
    this.#isAsking = true;
    this.#options
      .readEnd()
      .then((position) => {
        if (position !== null) this.#end = { position, askedAtMs };
      })
      .catch(() => undefined)
      .finally(() => {
        this.#isAsking = false;
      });
  }
}

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
