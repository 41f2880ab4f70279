import { type ChildProcess, spawn } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { eventually } from '../drivers/tools/eventually.ts';
import { freePort } from '../drivers/tools/free-port.ts';

/** A Redis that belongs to one scenario, which may kill, freeze and restart it. */
export interface RedisProcess {
  readonly url: string;
  readonly port: number;
  /** Sends a command on a connection of its own. Resolves with the reply as text. */
  send(command: string, ...args: string[]): Promise<string>;
  /** Starts it again on the same port and the same append-only file. */
  start(): Promise<void>;
  /** Kills it with SIGKILL. */
  kill(): Promise<void>;
  /** Stops the process (SIGSTOP). Its connections stay open, and it answers nothing until `thaw`. */
  freeze(): void;
  thaw(): void;
  /** Makes it a replica of the Redis at this port. Resolves when it is in sync. */
  replicate(port: number): Promise<void>;
  /** Resolves once it has every write of its primary at `port`. Nothing may write to the primary meanwhile. */
  waitUntilReplicated(port: number): Promise<void>;
  /** Whether it is a replica that is in sync with its primary. */
  isInSync(): Promise<boolean>;
  /** How many connections have this name (`CLIENT SETNAME`). */
  countConnections(name: string): Promise<number>;
  /** Resolves once a replica has confirmed a write of it. */
  waitUntilConfirmed(): Promise<void>;
  /** Makes it a primary with the data that it has. */
  becomePrimary(): Promise<void>;
  /** Performs a planned failover to its replica at `port`, without loss. Resolves when it is a replica of that one. */
  failOverTo(port: number): Promise<void>;
  /** Copies its stored data, even while it runs. A later copy replaces this one. */
  copyData(): Promise<void>;
  /** Replaces the stored data with the copy. Only while it is not running. */
  restoreCopy(): Promise<void>;
  /** Deletes the stored data. Only while it is not running. */
  deleteData(): Promise<void>;
  /** Returns its append-only files as text: every command that it executed, even for data that is deleted by now. */
  readAppendOnlyFiles(): Promise<string>;
  dispose(): Promise<void>;
}

/** The program that tests start: `REDIS_SERVER` names a Redis of another version, or a Valkey. */
export const redisServer = process.env.REDIS_SERVER ?? 'redis-server';

/**
 * Starts a Redis with `appendfsync always`, as production needs it so that accepted hooks survive a power cut. `extra`
 * holds further options of redis-server, which override these.
 */
export async function startRedis(extra: readonly string[] = []): Promise<RedisProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'widget-redis-'));
  const port = await freePort();
  let child: ChildProcess | null = null;

  async function start(): Promise<void> {
    const options = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'yes'];
    const durable = ['--appendfsync', 'always', '--maxmemory-policy', 'noeviction'];
    // By default, Redis waits 5 s for more replicas before it starts to synchronise one.
    const prompt = ['--repl-diskless-sync-delay', '0'];
    child = spawn(redisServer, [...options, ...durable, ...prompt, ...extra], { stdio: 'ignore' });
    for (let tries = 0; !(await answersPing(port)); tries += 1) {
      if (tries > 200 || child.exitCode !== null)
        throw new Error(`${redisServer} does not answer PING on port ${port}`);
      await delay(25);
    }
  }

  async function kill(): Promise<void> {
    const running = child;
    child = null;
    if (running === null || running.exitCode !== null) return;
    const exited = new Promise((resolve) => running.once('exit', resolve));
    running.kill('SIGKILL');
    await exited;
  }

  const data = join(folder, 'appendonlydir');
  const copy = join(folder, 'copy');
  const replace = async (to: string, from: string) => {
    await rm(to, { recursive: true, force: true });
    await cp(from, to, { recursive: true });
  };

  const send = (command: string, ...args: string[]) => sendCommand(port, command, ...args);
  const isInSync = async () => (await send('INFO', 'replication')).includes('master_link_status:up');

  await start();
  return {
    url: `redis://127.0.0.1:${port}/`,
    port,
    send,
    start,
    kill,
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    replicate: async (primaryPort) => {
      await send('REPLICAOF', '127.0.0.1', `${primaryPort}`);
      await eventually(isInSync, 'the replica is in sync');
    },
    waitUntilReplicated: async (primaryPort) => {
      const readOffset = async (at: number, name: string) =>
        new RegExp(`${name}:(\\d+)`).exec(await sendCommand(at, 'INFO', 'replication'))?.[1];
      const hasAll = async () =>
        (await readOffset(primaryPort, 'master_repl_offset')) === (await readOffset(port, 'slave_repl_offset'));
      await eventually(hasAll, 'the replica has every write');
    },
    isInSync,
    countConnections: async (name) =>
      (await send('CLIENT', 'LIST')).split('\n').filter((line) => line.includes(` name=${name} `)).length,
    waitUntilConfirmed: async () => {
      const isConfirmed = async () => /state=online,offset=[1-9]/.test(await send('INFO', 'replication'));
      await send('SET', 'written', '1');
      await eventually(isConfirmed, 'a replica has confirmed a write');
    },
    becomePrimary: async () => void (await send('REPLICAOF', 'NO', 'ONE')),
    failOverTo: async (replicaPort) => {
      await send('FAILOVER', 'TO', '127.0.0.1', `${replicaPort}`);
      await eventually(isInSync, 'the former primary is in sync with the new one');
    },
    copyData: () => replace(copy, data),
    restoreCopy: () => replace(data, copy),
    deleteData: () => rm(data, { recursive: true }),
    readAppendOnlyFiles: async () => {
      const files = await readdir(data);
      const texts = files.map((name) => readFile(join(data, name), 'latin1'));
      return (await Promise.all(texts)).join('');
    },
    dispose: async () => {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function sendCommand(port: number, command: string, ...args: string[]): Promise<string> {
  const redis = new Redis(port, '127.0.0.1', { protocol: 2, maxRetriesPerRequest: 1 });
  redis.on('error', () => undefined);
  try {
    return String(await redis.call(command, ...args));
  } finally {
    redis.disconnect();
  }
}

function answersPing(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    const finish = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('data', (data) => finish(data.toString().startsWith('+PONG')));
    socket.once('error', () => finish(false));
  });
}
