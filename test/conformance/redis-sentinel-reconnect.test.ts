import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { openFailFastConnection } from '@widget-service/cluster/redis/connections.ts';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, inject, onTestFinished, test } from 'vitest';
import { findQueueRedis } from '../drivers/cluster/test-redis.ts';
import { eventually } from '../drivers/tools/eventually.ts';

/**
 * A Sentinel that answers when the test says so. Real Sentinels publish `+switch-master` whenever they like, also while
 * a process asks them.
 */
class SlowSentinel {
  readonly #subscribers = new Set<Socket>();
  readonly #waiting: (() => void)[] = [];
  readonly #server: Server;
  readonly #primary: URL;
  #isHeld = false;

  private constructor(primary: URL) {
    this.#primary = primary;
    this.#server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('close', () => this.#subscribers.delete(socket));
      socket.on('data', (bytes) => {
        // A client may send several commands at once. Each is an array.
        for (const command of bytes
          .toString()
          .toLowerCase()
          .split(/(?=\*\d)/))
          this.#answer(socket, command);
      });
    });
  }

  static async start(primary: URL): Promise<SlowSentinel> {
    const sentinel = new SlowSentinel(primary);
    sentinel.#server.listen(0, '127.0.0.1');
    await once(sentinel.#server, 'listening');
    return sentinel;
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port;
  }

  get subscriberCount(): number {
    return this.#subscribers.size;
  }

  /** How many questions for the primary wait for their answer. */
  get waitingCount(): number {
    return this.#waiting.length;
  }

  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
    for (const answer of this.#waiting.splice(0)) answer();
  }

  publishSwitch(): void {
    const text = 'widgets old new';
    const message = `*3\r\n$7\r\nmessage\r\n$14\r\n+switch-master\r\n$${text.length}\r\n${text}\r\n`;
    for (const socket of this.#subscribers) socket.write(message);
  }

  close(): void {
    for (const socket of this.#subscribers) socket.destroy();
    this.#server.close();
  }

  #answer(socket: Socket, command: string): void {
    if (command.includes('get-master-addr-by-name')) {
      const { hostname, port } = this.#primary;
      const answer = () => socket.write(`*2\r\n$${hostname.length}\r\n${hostname}\r\n$${port.length}\r\n${port}\r\n`);
      if (this.#isHeld) this.#waiting.push(answer);
      else answer();
    } else if (command.includes('sentinels')) {
      socket.write('*0\r\n');
    } else if (command.includes('subscribe')) {
      socket.write('*3\r\n$9\r\nsubscribe\r\n$14\r\n+switch-master\r\n:1\r\n');
      this.#subscribers.add(socket);
    } else {
      socket.write('+OK\r\n');
    }
  }
}

describe.runIf(inject('backend') === 'cluster')('a connection behind Sentinels', () => {
  let primary: URL;
  let sentinel: SlowSentinel;
  let redis: Redis;

  beforeEach(async () => {
    primary = new URL(findQueueRedis().operatorUrl);
    sentinel = await SlowSentinel.start(primary);
    redis = openFailFastConnection(
      {
        url: primary.href,
        setting: 'REDIS_URL',
        onWarning: () => undefined,
        sentinels: {
          addresses: [{ host: '127.0.0.1', port: sentinel.port }],
          ...{ name: 'widgets', username: '', password: '', hasTls: false },
        },
      },
      'test',
    );
    await eventually(async () => redis.status === 'ready' && sentinel.subscriberCount === 1, 'it is connected');
  });
  afterEach(() => {
    redis.disconnect();
    sentinel.close();
  });

  /** Closes the connection as a primary does that dies. */
  async function breakConnection(): Promise<void> {
    const operator = new Redis(primary.href);
    onTestFinished(() => operator.disconnect());
    const id = await redis.client('ID');
    await operator.client('KILL', 'ID', id);
  }

  const isUsable = () =>
    redis.ping().then(
      () => true,
      () => false,
    );

  test('moves to the primary that they name', async () => {
    sentinel.publishSwitch();
    await eventually(async () => redis.status !== 'ready', 'it leaves the old primary');
    await eventually(isUsable, 'it is connected again');
  });

  test('comes back if they name another primary while it asks them for one', async () => {
    sentinel.hold();
    await breakConnection();
    await eventually(async () => sentinel.waitingCount > 0, 'it asks for the primary');
    sentinel.publishSwitch();
    // Whoever listens leaves a Sentinel when the message arrives. So it has arrived, or nobody listens.
    await eventually(async () => sentinel.subscriberCount === 0, 'nobody listens');
    sentinel.release();
    await eventually(isUsable, 'it is connected again', 10_000);
    expect(redis.status).toBe('ready');
  });
});
