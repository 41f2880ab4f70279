import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import { explainListenFailure } from './exit-error.ts';

export interface OpsServerDeps {
  readonly registry: Registry;
  /** What keeps the process from doing its work; empty when it is ready. */
  readonly problems: () => string[];
  /** True once the process has come up; stays true. */
  readonly isStarted: () => boolean;
}

export interface OpsServer {
  readonly address: AddressInfo;
  close(): Promise<void>;
}

/**
 * The operators' port, apart from the public one: `/livez` (the event loop turns), `/readyz` (the work goes on),
 * `/startupz` and `/metrics` in Prometheus' text format. Throws an `ExitError` for a place that cannot be had.
 */
export async function openOpsServer(deps: OpsServerDeps, host: string, port: number): Promise<OpsServer> {
  const server = createServer((request, response) => {
    // Not parsed as a URL: `//` is none, and a request must not be able to end the process.
    const [path = '/'] = (request.url ?? '/').split('?', 1);
    if (request.method !== 'GET' && request.method !== 'HEAD') return send(response, 405, 'method not allowed\n');
    answer(deps, path, response).catch(() => send(response, 500, 'failed\n'));
  });
  await listen(server, host, port);
  return {
    address: server.address() as AddressInfo,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(deps: OpsServerDeps, path: string, response: ServerResponse): Promise<void> {
  if (path === '/livez') return send(response, 200, 'ok\n');
  if (path === '/startupz') return sendVerdict(response, deps.isStarted() ? [] : ['starting']);
  if (path === '/readyz') return sendVerdict(response, deps.isStarted() ? deps.problems() : ['starting']);
  if (path === '/metrics') return send(response, 200, await deps.registry.metrics(), deps.registry.contentType);
  return send(response, 404, 'not found\n');
}

function sendVerdict(response: ServerResponse, problems: readonly string[]): void {
  if (problems.length === 0) send(response, 200, 'ok\n');
  else send(response, 503, `${problems.join('\n')}\n`);
}

function send(response: ServerResponse, status: number, body: string, type = 'text/plain; charset=utf-8'): void {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(explainListenFailure(error, { settings: 'OPS_HOST, OPS_PORT', host, port }));
    server.once('error', fail);
    server.listen(port, host, () => {
      server.off('error', fail);
      resolve();
    });
  });
}
