import { type ChildProcess, spawn } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { eventually } from '../drivers/eventually.ts';
import { freePort } from '../drivers/free-port.ts';

/** A Redis of a scenario's own, which it may kill, stop and start. */
export interface RedisProcess {
  readonly url: string;
  readonly port: number;
  /** Starts it again on the same port and the same append-only file. */
  start(): Promise<void>;
  /** Ends it like a power cut. */
  kill(): Promise<void>;
  /** Stops it in its tracks: its connections stay open, and nothing is answered until `thaw`. */
  freeze(): void;
  thaw(): void;
  /** Makes it a replica of the Redis that is reached at this port; resolves when it has everything of it. */
  follow(port: number): Promise<void>;
  /** Makes it a primary, of what it has. */
  stopFollowing(): Promise<void>;
  /** Hands over to one that follows it at `port`, without losing anything; resolves when it follows that one. */
  handOver(port: number): Promise<void>;
  /** Keeps a copy of what it has stored up to now, also while it is running; a later copy replaces it. */
  copyData(): Promise<void>;
  /** Puts the copy in the place of what it has stored since; only while it is not running. */
  restoreCopy(): Promise<void>;
  /** Removes what it has stored; only while it is not running. */
  loseData(): Promise<void>;
  /** Every command it has carried out, as its append-only file has them: also of what was removed since. */
  everythingWritten(): Promise<string>;
  dispose(): Promise<void>;
}

/**
 * Starts a Redis that syncs every write, as production does where a 202 must survive a power cut. `extra` are further
 * options of redis-server, which win.
 */
export async function startRedis(extra: readonly string[] = []): Promise<RedisProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'widget-redis-'));
  const port = await freePort();
  let child: ChildProcess | null = null;

  async function start(): Promise<void> {
    const options = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'yes'];
    const durable = ['--appendfsync', 'always', '--maxmemory-policy', 'noeviction'];
    // Else it waits five seconds for more replicas before it sends its data to one.
    const prompt = ['--repl-diskless-sync-delay', '0'];
    child = spawn('redis-server', [...options, ...durable, ...prompt, ...extra], { stdio: 'ignore' });
    for (let tries = 0; !(await answersPing(port)); tries += 1) {
      if (tries > 200 || child.exitCode !== null) throw new Error(`redis-server does not answer on port ${port}`);
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

  const ask = (command: string, ...args: string[]) => askRedis(port, command, ...args);
  const isInSync = async () => (await ask('INFO', 'replication')).includes('master_link_status:up');

  await start();
  return {
    url: `redis://127.0.0.1:${port}/`,
    port,
    start,
    kill,
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    follow: async (primaryPort) => {
      await ask('REPLICAOF', '127.0.0.1', `${primaryPort}`);
      await eventually(isInSync, 'the replica is in sync');
    },
    stopFollowing: async () => void (await ask('REPLICAOF', 'NO', 'ONE')),
    handOver: async (replicaPort) => {
      await ask('FAILOVER', 'TO', '127.0.0.1', `${replicaPort}`);
      await eventually(isInSync, 'it follows the one it handed over to');
    },
    copyData: () => replace(copy, data),
    restoreCopy: () => replace(data, copy),
    loseData: () => rm(data, { recursive: true }),
    everythingWritten: async () => {
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

async function askRedis(port: number, command: string, ...args: string[]): Promise<string> {
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
