import { createConnection as connectPlain } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { AbstractConnector, type RedisOptions } from 'ioredis';
import { type Address, isSame, type SlotOwnerFinder } from './slot-owner.ts';

interface OpenConnection {
  readonly owner: Address;
  readonly stream: Stream;
}

/**
 * Returns the class by which ioredis connects to the node of a Redis Cluster that owns the slot of all our keys. It
 * looks for the node at each attempt. So after a failover every kind of connection finds the new owner: also the
 * blocking reads, BullMQ's copies and subscribers, which `Cluster` of ioredis treats differently.
 *
 * All connections of one Redis lead to one node. As soon as one of them finds another owner, the others are closed, and
 * find it as well. Otherwise a subscriber would stay with a node whose `PUBLISH` does not count it, and a blocking read
 * with a frozen one.
 */
export function createClusterConnector(finder: SlotOwnerFinder): NonNullable<RedisOptions['Connector']> {
  const open = new Set<OpenConnection>();
  return class extends ClusterConnector {
    constructor(options: unknown) {
      super(options as RedisOptions, finder, open);
    }
  };
}

/** As ioredis says it. */
const closedText = 'Connection is closed.';

type Stream = Awaited<ReturnType<AbstractConnector['connect']>>;

class ClusterConnector extends AbstractConnector {
  readonly #options: RedisOptions;
  readonly #finder: SlotOwnerFinder;
  readonly #open: Set<OpenConnection>;

  constructor(options: RedisOptions, finder: SlotOwnerFinder, open: Set<OpenConnection>) {
    super(options.disconnectTimeout ?? 2_000);
    this.#options = options;
    this.#finder = finder;
    this.#open = open;
  }

  override async connect(report: (type: string, error: Error) => void): Promise<Stream> {
    this.connecting = true;
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#connectToOwner();
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

  async #connectToOwner(): Promise<Stream> {
    const { username, password, tls, family } = this.#options;
    const owner = await this.#finder.find({ username, password, tls });
    if (!this.connecting) throw new Error(closedText);
    for (const connection of this.#open) {
      if (!isSame(connection.owner, owner)) connection.stream.destroy();
    }
    const target = { ...owner, ...(family === undefined ? {} : { family }) };
    // For `rediss:`, ioredis turns the option into true, or leaves the given object.
    const hasTls = tls !== undefined && (tls as unknown) !== false;
    const stream = hasTls ? connectTls({ ...target, ...(typeof tls === 'object' ? tls : {}) }) : connectPlain(target);
    this.stream = stream;
    stream.once('error', (error) => {
      this.firstError = error;
    });
    const connection = { owner, stream };
    this.#open.add(connection);
    stream.once('close', () => this.#open.delete(connection));
    return stream;
  }
}
