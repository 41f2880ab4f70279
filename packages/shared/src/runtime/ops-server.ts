import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { hostname } from 'node:os';
import { explainListenFailure } from './exit-error.ts';
import { makeIsAllowedHost } from './host-name.ts';
import { type FurtherListeners, listen, listenFurther, resolveListenHost } from './listen-addresses.ts';
import { escapeControls } from './printable-text.ts';

/** Limits, so that a slow or silent client cannot hold connections: times in milliseconds. */
const connectionLimits = {
  requestTimeout: 5_000,
  headersTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
  /** `requireHostHeader`: a load balancer may send a bare `GET /readyz`, and a browser always sends the header. */
  requireHostHeader: false,
};
/** How long a client may accept nothing of a response. */
const idleMs = 30_000;
/** Prometheus, the probes and an operator need a few. Above it, the oldest gives way (`makeRoomForNew`). */
const connectionsMax = 64;

/** Where the server listens, by which names, and what it answers. */
export interface OpsServerOptions {
  /** An address, or a name: the server then listens on each of its addresses. */
  readonly host: string;
  readonly port: number;
  /** Host names that the server answers to, besides addresses, `localhost` and the name of this machine. */
  readonly allowedHosts: readonly string[];
  /** Returns the metrics in the format that the `Accept` header of a scrape asks for. */
  readonly formatMetrics: (accept: string | undefined) => Promise<MetricsText>;
  /** Returns every check of readiness. The process is ready if it has started and no check has a reason. */
  readonly checks: () => readonly HealthCheck[];
  /** Called before each scrape. It must be quick and use no store: a store that is down must not block a scrape. */
  readonly updateGauges: () => void;
  /** Returns true once the process has started, and from then on. */
  readonly isStarted: () => boolean;
}

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
 * The first line of a health body is `ok` or `failed`. Each further line is a check, for example `tail: ok`, or with
 * the reason why it fails. The failing checks come first.
 *
 * It answers only to addresses, `localhost`, the name of this machine (in Kubernetes, of the pod) and `allowedHosts`: a
 * page that gives its own name the address of this process gets 400 and reads nothing.
 *
 * If it cannot listen on the address, it throws what `explainListenFailure` returns.
 */
export async function openOpsServer(options: OpsServerOptions): Promise<OpsServer> {
  const { host, port, allowedHosts } = options;
  const isAllowedHost = makeIsAllowedHost([hostname(), ...allowedHosts]);
  const server = createServer(connectionLimits, (request, response) => {
    if (!isAllowedHost(request.headers.host ?? '')) return send(response, 400, hostNotAllowed);
    // Not parsed with `new URL`: it throws for `//`, and a request must not be able to end the process.
    const [path = '/'] = (request.url ?? '/').split('?', 1);
    if (request.method !== 'GET' && request.method !== 'HEAD') return send(response, 405, 'method not allowed\n');
    respond(options, path, request.headers.accept, response).catch(() => send(response, 500, 'failed\n'));
  });
  server.timeout = idleMs;
  makeRoomForNew(server);
  const further = await listenOnHost(server, host, port);
  return {
    address: server.address() as AddressInfo,
    close: async () => {
      const closed = [further.close(), new Promise<void>((resolve) => server.close(() => resolve()))];
      server.closeAllConnections();
      await Promise.all(closed);
    },
  };
}

/**
 * When there are too many connections, closes the oldest idle one, or the oldest if none is idle. So a client that
 * leaves connections open cannot keep out the probes.
 */
function makeRoomForNew(server: Server): void {
  const open = new Set<Socket>();
  const answering = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    if (open.size <= connectionsMax) return;
    const [oldest] = open;
    const victim = [...open].find((each) => !answering.has(each)) ?? oldest;
    if (victim === undefined) return;
    open.delete(victim);
    victim.destroy();
  });
  server.on('request', ({ socket }, response) => {
    answering.add(socket);
    response.once('close', () => answering.delete(socket));
  });
}

const hostNotAllowed =
  'this port does not answer to the name in the Host header: use an address, or add the name to ALLOWED_HOSTS\n';

async function listenOnHost(server: Server, host: string, port: number): Promise<FurtherListeners> {
  try {
    const [first = host, ...others] = await resolveListenHost(host);
    await listen(server, first, port);
    return await listenFurther(server, others);
  } catch (error) {
    throw explainListenFailure(error, { settings: 'HOST, OPS_PORT', host, port });
  }
}

async function respond(
  deps: OpsServerOptions,
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

/** Always one printable line: a reason may be the message of an error. */
function formatCheck({ name, reason }: HealthCheck): string {
  return `${name}: ${escapeControls((reason ?? 'ok').replaceAll(/\s+/g, ' '))}`;
}

function send(response: ServerResponse, status: number, body: string, type = 'text/plain; charset=utf-8'): void {
  response.writeHead(status, { ...dataHeaders, 'content-type': type }).end(body);
}

/** Headers of a response that is no page: a browser that shows it as a document loads, runs and stores nothing. */
export const dataHeaders = {
  // Responses may show secrets and personal data.
  'cache-control': 'no-store',
  // `base-uri`, `form-action` and `frame-ancestors` do not fall back to `default-src`.
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  // No page of another origin can load a response as an image, a script or the like. Requests with CORS are not
  // affected.
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  // URLs of streams and hooks are secrets.
  'referrer-policy': 'no-referrer',
} as const;
