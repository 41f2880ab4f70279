import { createServer } from 'node:net';

/**
 * Linux gives outgoing connections ports from 32768 on. A server that is killed must find its port free when it starts
 * again, and who tries to reach it meanwhile must not be given that very port, and so meet itself.
 */
const firstPort = 10_000;
/** Test files that run side by side have ports of their own: what is down in one does not look free to another. */
const portsPerWorker = 2_000;
const workersMax = 10;

const worker = Number(process.env.VITEST_POOL_ID ?? 0) % workersMax;
let next = Math.floor(Math.random() * portsPerWorker);

/** A TCP port that nobody listens on right now, and that was not given before; for programs that cannot choose one. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = firstPort + worker * portsPerWorker + next;
    next = (next + 1) % portsPerWorker;
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
