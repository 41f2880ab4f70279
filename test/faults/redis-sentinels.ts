import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { eventually } from '../drivers/tools/eventually.ts';
import { freePort } from '../drivers/tools/free-port.ts';
import { redisServer } from './redis-process.ts';

export interface RedisSentinels {
  /** `127.0.0.1:26379,127.0.0.1:26380,…` */
  readonly addresses: readonly { readonly host: string; readonly port: number }[];
  /** The port of the primary, as the Sentinels know it. */
  readPrimaryPort(): Promise<number>;
  /** Performs a planned failover. Resolves when the Sentinels name another primary. */
  failOver(): Promise<void>;
  dispose(): Promise<void>;
}

export const sentinelName = 'widgets';

/** Starts three Sentinels that watch the primary at this port. Resolves when all know each other and its replica. */
export async function startSentinels(
  primaryPort: number,
  downAfterMs = 2_000,
  password: string | null = null,
): Promise<RedisSentinels> {
  const folder = await mkdtemp(join(tmpdir(), 'widget-sentinels-'));
  const ports = await Promise.all([freePort(), freePort(), freePort()]);
  const children: ChildProcess[] = [];
  for (const port of ports) {
    const file = join(folder, `${port}.conf`);
    const lines = [
      `port ${port}`,
      'bind 127.0.0.1',
      `dir ${folder}`,
      `sentinel monitor ${sentinelName} 127.0.0.1 ${primaryPort} 2`,
      `sentinel down-after-milliseconds ${sentinelName} ${downAfterMs}`,
      `sentinel failover-timeout ${sentinelName} 10000`,
      ...(password === null ? [] : [`requirepass ${password}`]),
    ];
    await writeFile(file, `${lines.join('\n')}\n`);
    children.push(spawn(redisServer, [file, '--sentinel'], { stdio: 'ignore' }));
  }
  const [first = 0] = ports;
  const sentinel = new Redis(first, '127.0.0.1', password === null ? {} : { password });
  sentinel.on('error', () => undefined);
  const ask = (...args: string[]) => sentinel.call('SENTINEL', args);
  const count = async (what: string) => ((await ask(what, sentinelName)) as unknown[]).length;
  const readPrimaryPort = async () => Number(((await ask('get-master-addr-by-name', sentinelName)) as string[])[1]);
  const knowAll = async () => (await count('sentinels')) === 2 && (await count('replicas')) === 1;
  await eventually(() => knowAll().catch(() => false), 'the Sentinels know each other and the replica', 30_000);
  return {
    addresses: ports.map((port) => ({ host: '127.0.0.1', port })),
    readPrimaryPort,
    failOver: async () => {
      const before = await readPrimaryPort();
      await ask('failover', sentinelName);
      await eventually(async () => (await readPrimaryPort()) !== before, 'another primary', 30_000);
    },
    dispose: async () => {
      sentinel.disconnect();
      for (const child of children) child.kill('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
}
