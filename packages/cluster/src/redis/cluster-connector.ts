import { createConnection as connectPlain } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { AbstractConnector, type RedisOptions } from 'ioredis';
import { type Address, isSame, type NodeAccess, type SlotOwnerFinder } from './slot-owner.ts';

type Connector = NonNullable<RedisOptions['Connector']>;
type Stream = Awaited<ReturnType<AbstractConnector['connect']>>;

/**
 * Returns the class by which ioredis connects to the node of a Redis Cluster that owns the slot of all our keys. It
 * looks for the node at each attempt. So after a failover every kind of connection finds the new owner: also the
 * blocking reads, BullMQ's copies and subscribers, which `Cluster` of ioredis treats differently.
 *
 * All connections of one Redis lead to one node. As soon as one of them finds another owner, the others are closed, and
 * find it as well. Otherwise a subscriber would stay with a node whose `PUBLISH` does not count it, and a blocking read
 * with a frozen one.
 */
export function createOwnerConnector(finder: SlotOwnerFinder): Connector {
  const open = new Map<Stream, Address>();
  const find = async (access: NodeAccess) => {
    const { owner } = await finder.find(access);
    for (const [stream, address] of open) if (!isSame(address, owner)) stream.destroy();
    return owner;
  };
  const onStream = (stream: Stream, address: Address) => {
    open.set(stream, address);
    stream.once('close', () => open.delete(stream));
  };
  return createConnector(find, onStream);
}

/** Returns the class by which ioredis connects to a replica of that node. Each connection chooses one. */
export function createReplicaConnector(finder: SlotOwnerFinder): Connector {
  const find = async (access: NodeAccess) => {
    const { replicas } = await finder.find(access);
    const replica = replicas[Math.floor(Math.random() * replicas.length)];
    if (replica === undefined) throw new Error('the node that owns our keys has no replica');
    return replica;
  };
  return createConnector(find, () => undefined);
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
          // ioredis would end the connection for good if this rejected.
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
