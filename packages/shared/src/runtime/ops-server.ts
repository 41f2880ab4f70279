import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { explainListenFailure } from './exit-error.ts';

/** The metrics as text, and the type of that text. */
interface MetricsText {
  readonly text: string;
  readonly contentType: string;
}

/** One check of readiness. `reason` says why it fails; null while it succeeds. */
export interface HealthCheck {
  readonly name: string;
  readonly reason: string | null;
}

export interface OpsServerDeps {
  /** Returns the metrics in the format that the `Accept` header of a scrape asks for. */
  readonly formatMetrics: (accept: string | undefined) => Promise<MetricsText>;
  /** Returns every check of readiness. The process is ready if it has started and no check has a reason. */
  readonly checks: () => readonly HealthCheck[];
  /** Called before each scrape. It must be quick and use no store: a store that is down must not block a scrape. */
  readonly updateGauges: () => void;
  /** Returns true once the process has started, and from then on. */
  readonly isStarted: () => boolean;
}

export interface OpsServer {
  readonly address: AddressInfo;
  close(): Promise<void>;
}

/**
 * Opens the operators' HTTP server, separate from the public one.
 *
 * - `/livez`: 200 while the event loop runs.
 * - `/readyz`: 200 if the process has started and no check fails, else 503.
 * - `/startupz`: 200 once the process has started, else 503.
 * - `/metrics`: Prometheus' text format, or OpenMetrics if the `Accept` header prefers it.
 *
 * The first line of a health body is `ok` or `failed`. Each further line is a check, for example `tail: ok`, or with the
 * reason why it fails. The failing checks come first.
 *
 * If it cannot listen on the address, it throws what `explainListenFailure` returns.
 */
export async function openOpsServer(deps: OpsServerDeps, host: string, port: number): Promise<OpsServer> {
  const server = createServer((request, response) => {
    // Not parsed with `new URL`: it throws for `//`, and a request must not be able to end the process.
    const [path = '/'] = (request.url ?? '/').split('?', 1);
    if (request.method !== 'GET' && request.method !== 'HEAD') return send(response, 405, 'method not allowed\n');
    respond(deps, path, request.headers.accept, response).catch(() => send(response, 500, 'failed\n'));
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

async function respond(
  deps: OpsServerDeps,
  path: string,
  accept: string | undefined,
  response: ServerResponse,
): Promise<void> {
  if (path === '/livez') return sendHealth(response, [{ name: 'event-loop', reason: null }]);
  const start = { name: 'start', reason: deps.isStarted() ? null : 'the process is starting' };
  if (path === '/startupz') return sendHealth(response, [start]);
  if (path === '/readyz') return sendHealth(response, [start, ...deps.checks()]);
  if (path === '/metrics') {
    deps.updateGauges();
    const { text, contentType } = await deps.formatMetrics(accept);
    return send(response, 200, text, contentType);
  }
  return send(response, 404, 'not found\n');
}

function sendHealth(response: ServerResponse, checks: readonly HealthCheck[]): void {
  const failing = checks.filter(({ reason }) => reason !== null);
  const lines = [...failing, ...checks.filter(({ reason }) => reason === null)].map(formatCheck);
  const [status, summary] = failing.length === 0 ? [200, 'ok'] : [503, 'failed'];
  send(response, status, [summary, ...lines, ''].join('\n'));
}

/** Always one line: a reason may be the message of an error. */
function formatCheck({ name, reason }: HealthCheck): string {
  return `${name}: ${(reason ?? 'ok').replaceAll(/\s+/g, ' ')}`;
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
