import { createServer } from 'node:net';

/**
 * Below 32768, where Linux starts the ports of outgoing connections. Otherwise a client that connects to a killed
 * server could get that server's port as its own, and so connect to itself. The server could not start again either.
 */
const firstPort = 10_000;
/**
 * Each vitest worker has its own range: the port of a stopped server in one test file must not look free to another.
 */
const portsPerWorker = 2_000;
const workersMax = 10;

const worker = Number(process.env.VITEST_POOL_ID ?? 0) % workersMax;
let next = Math.floor(Math.random() * portsPerWorker);

/**
 * Returns a TCP port that no process listens on. It repeats a port only after all ports of this worker. It is for
 * programs that cannot choose a port themselves.
 */
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
