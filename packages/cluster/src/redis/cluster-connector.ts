import { createConnection as connectPlain } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { describeError } from '@widget-service/shared/domain/errors.ts';
import { withDeadline } from '@widget-service/shared/runtime/clock.ts';
import { AbstractConnector, Redis, type RedisOptions } from 'ioredis';
import { surviveSocketErrors } from './connection-errors.ts';

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** The credentials and TLS options for a node. */
type NodeAccess = Pick<RedisOptions, 'username' | 'password' | 'tls'>;

/** The node that owns the slot, and its replicas. */
interface SlotNodes {
  readonly owner: Address;
  readonly replicas: readonly Address[];
}

/** What one node of a Redis Cluster says. */
export interface NodeAnswer {
  readonly asked: Address;
  /** The owner of the slot as this node knows it. Null: it knows none. */
  readonly owner: Address | null;
  /** The owner's replicas. */
  readonly replicas: readonly Address[];
}

const answerWithinMs = 1_000;
/** The most nodes to ask: enough for a majority, also in a large cluster. */
const askedAtMost = 7;

/** Finds the node of a Redis Cluster that owns the slot of all our keys. Every connection of one Redis shares it. */
export class SlotOwnerFinder {
  readonly #configured: readonly Address[];
  /** A key in the slot. */
  readonly #key: string;
  /** What was found last. */
  #known: SlotNodes | null = null;
  #search: Promise<SlotNodes> | null = null;

  constructor(configured: readonly Address[], key: string) {
    this.#configured = configured;
    this.#key = key;
  }

  /**
   * Asks several nodes. After a failover, the old owner may still name itself as the owner. So of the nodes that name
   * themselves, `find` chooses the one that most nodes name; if equal, the one asked first. Rejects if no node names
   * itself: with the error of a node that refused our credentials, otherwise with all answers.
   */
  find(access: NodeAccess): Promise<SlotNodes> {
    this.#search ??= this.#ask(access).finally(() => {
      this.#search = null;
    });
    return this.#search;
  }

  async #ask(access: NodeAccess): Promise<SlotNodes> {
    const failures: { readonly asked: Address; readonly error: Error }[] = [];
    const ask = async (addresses: readonly Address[]) => {
      const answers = await Promise.all(
        addresses.map((asked) =>
          askNode(asked, this.#key, access).catch((error: Error) => {
            failures.push({ asked, error });
            return null;
          }),
        ),
      );
      return answers.filter((answer) => answer !== null);
    };
    const known = this.#known === null ? [] : [this.#known.owner, ...this.#known.replicas];
    const answers = await ask(listDistinct([...known, ...this.#configured]).slice(0, askedAtMost));
    const named = listDistinct(answers.flatMap(({ owner, replicas }) => (owner === null ? [] : [owner, ...replicas])));
    const unasked = named.filter((address) => ![...answers, ...failures].some(({ asked }) => isSame(asked, address)));
    answers.push(...(await ask(unasked.slice(0, askedAtMost))));
    const owner = chooseOwner(answers);
    if (owner === null) throw this.#explain(answers, failures);
    this.#known = { owner, replicas: answers.find(({ asked }) => isSame(asked, owner))?.replicas ?? [] };
    return this.#known;
  }

  #explain(answers: readonly NodeAnswer[], failures: readonly { asked: Address; error: Error }[]): Error {
    const refused = failures.find(({ error }) => /^(?:WRONGPASS|NOAUTH|NOPERM|ERR )/.test(error.message));
    if (refused !== undefined) return refused.error;
    const lines = [
      ...answers.map(({ asked, owner }) => `${toText(asked)} names ${owner === null ? 'none' : toText(owner)}`),
      ...failures.map(({ asked, error }) => `${toText(asked)}: ${describeError(error)}`),
    ];
    return new Error(`no node of the Redis Cluster is known to own the slot of ${this.#key} (${lines.join('; ')})`);
  }
}

/** Returns the owner that most nodes name, among those that also name themselves. Null: there is none. */
export function chooseOwner(answers: readonly NodeAnswer[]): Address | null {
  const candidates = answers.filter(({ asked, owner }) => owner !== null && isSame(asked, owner));
  const countVotes = ({ asked }: NodeAnswer) =>
    answers.filter(({ owner }) => owner !== null && isSame(owner, asked)).length;
  const [best] = candidates.sort((a, b) => countVotes(b) - countVotes(a));
  return best?.asked ?? null;
}

async function askNode(asked: Address, key: string, access: NodeAccess): Promise<NodeAnswer> {
  const redis = new Redis({
    ...access,
    ...asked,
    protocol: 2,
    disableClientInfo: true,
    lazyConnect: true,
    enableReadyCheck: false,
    connectTimeout: answerWithinMs,
    commandTimeout: answerWithinMs,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
    connectionName: 'widget-service:cluster',
  });
  surviveSocketErrors(redis);
  let connectionError: Error | null = null;
  redis.on('error', (error: Error) => {
    connectionError = error;
  });
  const question = async () => {
    await redis.connect();
    const [slot, ranges] = await Promise.all([redis.call('CLUSTER', 'KEYSLOT', key), redis.call('CLUSTER', 'SLOTS')]);
    return { asked, ...parseRanges(ranges as SlotRange[], Number(slot), asked) };
  };
  try {
    return await withDeadline(question(), 2 * answerWithinMs, `CLUSTER SLOTS of ${toText(asked)}`);
  } catch (error) {
    throw connectionError ?? error;
  } finally {
    redis.disconnect();
  }
}

/**
 * First and last slot, and the nodes that have them: the owner, then its replicas
 * (https://redis.io/commands/cluster-slots).
 */
type SlotRange = [first: number, last: number, ...nodes: [host: string | null, port: number, ...rest: unknown[]][]];

function parseRanges(ranges: readonly SlotRange[], slot: number, asked: Address): Omit<NodeAnswer, 'asked'> {
  const range = ranges.find(([first, last]) => first <= slot && slot <= last);
  const [, , ...nodes] = range ?? [0, 0];
  // A node that does not know its own host returns null or '': then the host is the one that we reached.
  const addresses = nodes.map(([host, port]) => ({ host: host === null || host === '' ? asked.host : host, port }));
  const [owner = null, ...replicas] = addresses;
  return { owner, replicas };
}

function listDistinct(addresses: readonly Address[]): Address[] {
  return addresses.filter((address, at) => addresses.findIndex((other) => isSame(other, address)) === at);
}

function isSame(a: Address, b: Address): boolean {
  return a.host === b.host && a.port === b.port;
}

function toText({ host, port }: Address): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

type Connector = NonNullable<RedisOptions['Connector']>;
type Stream = Awaited<ReturnType<AbstractConnector['connect']>>;

/**
 * Returns the connector classes by which ioredis connects to the node that owns the slot of all our keys (ADR 46), and
 * to a replica of that node, which each connection chooses at random. They look for that node at each attempt, so after
 * a failover every kind of connection finds the new owner: also blocking reads, BullMQ's copies and subscribers.
 *
 * As soon as one connection finds another owner, all others are closed, so that they find it as well. Otherwise a
 * connection that only waits, such as a blocking read, would stay with a frozen node.
 */
export function toConnectors(finder: SlotOwnerFinder) {
  const open = new Map<Stream, Address>();
  const findOwner = async (access: NodeAccess) => {
    const { owner } = await finder.find(access);
    for (const [stream, address] of open) if (!isSame(address, owner)) stream.destroy();
    return owner;
  };
  const onStream = (stream: Stream, address: Address) => {
    open.set(stream, address);
    stream.once('close', () => open.delete(stream));
  };
  const findReplica = async (access: NodeAccess) => {
    const { replicas } = await finder.find(access);
    const replica = replicas[Math.floor(Math.random() * replicas.length)];
    if (replica === undefined) throw new Error('the node that owns our keys has no replica');
    return replica;
  };
  return {
    clusterConnector: createConnector(findOwner, onStream),
    replicaConnector: createConnector(findReplica, () => undefined),
  };
}

/** As ioredis says it. */
const closedText = 'Connection is closed.';

function createConnector(
  find: (access: NodeAccess) => Promise<Address>,
  onStream: (stream: Stream, address: Address) => void,
): Connector {
  return class extends AbstractConnector {
    readonly #options: RedisOptions;

    constructor(given: unknown) {
      const options = given as RedisOptions;
      super(options.disconnectTimeout ?? 2_000);
      this.#options = options;
    }

    override async connect(report: (type: string, error: Error) => void): Promise<Stream> {
      this.connecting = true;
      for (let tries = 1; ; tries += 1) {
        try {
          return await this.#connectOnce();
        } catch (error) {
          if (!this.connecting) throw error;
          report('error', error as Error);
          // Retries here: ioredis never reconnects after a connector has rejected.
          const pauseMs = this.#options.retryStrategy?.(tries);
          if (typeof pauseMs !== 'number') throw error;
          await delay(pauseMs);
        }
        if (!this.connecting) throw new Error(closedText);
      }
    }

    async #connectOnce(): Promise<Stream> {
      const { username, password, tls, family } = this.#options;
      const address = await find({ username, password, tls });
      if (!this.connecting) throw new Error(closedText);
      const target = { ...address, ...(family === undefined ? {} : { family }) };
      // For `rediss:`, ioredis turns the option into true, or leaves the given object.
      const hasTls = tls !== undefined && (tls as unknown) !== false;
      const stream = hasTls ? connectTls({ ...target, ...(typeof tls === 'object' ? tls : {}) }) : connectPlain(target);
      this.stream = stream;
      stream.once('error', (error) => {
        this.firstError = error;
      });
      onStream(stream, address);
      return stream;
    }
  };
}
