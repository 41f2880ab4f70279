import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { type Settings, settingsTable } from '@widget-service/shared/config/settings.ts';
import type { Metrics } from '@widget-service/shared/metrics/metrics.ts';
import type { Logger } from '@widget-service/shared/runtime/logger.ts';
import type { FastifyInstance } from 'fastify';
import { makeIsProxyPeer, type TrustedProxies, toNetwork } from './forwarding.ts';
import { sendProblem } from './problem.ts';
import { isSessionStreamAddress, isStreamAddress, setCommonHeaders } from './request-screening.ts';

/** How many connections may be open at once. Streams count too. */
export interface ConnectionLimits {
  /** Per address of a client; a whole IPv6 /64 network counts as one address. 0: no limit. */
  readonly perAddress: number;
  readonly perPod: number;
  /** Whether an operator relies on `perPod`: then a lower limit is worth a warning. */
  readonly isPlanned: boolean;
}

/** Besides streams: hooks, requests, and connections between two requests. Each takes about 10 KiB. */
const otherConnections = 10_000;

/** `startsWithoutSettings`: no operator relies on the default limit. */
export function toConnectionLimits(settings: Settings, startsWithoutSettings: boolean): ConnectionLimits {
  const isChanged = settings.STREAMS_PER_POD !== settingsTable.STREAMS_PER_POD.defaultValue;
  return {
    perAddress: settings.CONNECTIONS_PER_ADDRESS,
    perPod: settings.STREAMS_PER_POD + otherConnections,
    isPlanned: isChanged || !startsWithoutSettings,
  };
}

/** Which limit refuses a connection. */
export type ConnectionRefusal = 'per-address' | 'per-pod';

/** How many refused connections may wait for the answer to their request. Above it, connections are reset. */
const refusalsMax = 100;
/** How long a refused connection may stay open, for its request and the answer. */
const refusalMs = 2_000;
/** File descriptors for other things: stores, the operators' port, refused connections. */
const otherFiles = 300;
/** The pause between two log lines about refused connections. */
const logPauseMs = 60_000;

export interface ConnectionLimiterDeps {
  readonly limits: ConnectionLimits;
  /** How many files the process may have open. */
  readonly openFilesMax: number;
  readonly trustedProxies: TrustedProxies;
  readonly metrics: Pick<Metrics, 'connectionsOpen' | 'connectionsRefused' | 'connectionsLimit'>;
  readonly logger: Pick<Logger, 'warn' | 'info'>;
}

/**
 * Counts the connections of the public interface, and refuses those above the limits:
 * - The first request on a refused connection gets an answer (`registerConnectionRefusals`), and the connection closes.
 *   It closes after 2 s in any case.
 * - While 100 connections are being refused, each further one is reset without an answer. Node itself does that for
 *   connections above `perPod` and these 100 (`maxConnections`), before this process spends anything on them.
 *
 * If the process may have too few open files, it accepts fewer connections than `perPod`, and logs that. Otherwise the
 * system would reset connections silently, also of the operators' port.
 *
 * Peers that are proxies have no limit per address: the connections of all clients come from them (`makeIsProxyPeer`).
 */
export class ConnectionLimiter {
  readonly #deps: ConnectionLimiterDeps;
  readonly #perPod: number;
  readonly #isProxyPeer: (address: string) => boolean;
  readonly #openByAddress = new Map<string, number>();
  readonly #refused = new WeakMap<Socket, ConnectionRefusal>();
  #open = 0;
  #refusing = 0;
  #loggedAtMs = Number.NEGATIVE_INFINITY;

  constructor(deps: ConnectionLimiterDeps) {
    this.#deps = deps;
    this.#isProxyPeer = makeIsProxyPeer(deps.trustedProxies);
    const { limits, openFilesMax, logger, metrics } = deps;
    this.#perPod = Math.min(limits.perPod, Math.max(1, openFilesMax - otherFiles));
    if (this.#perPod < limits.perPod) {
      const hint = `Allow ${limits.perPod + otherFiles} open files (ulimit -n), or lower STREAMS_PER_POD.`;
      const level = limits.isPlanned ? 'warn' : 'info';
      logger[level]({ openFilesMax, connectionsMax: this.#perPod, hint }, 'connections.limited');
    }
    metrics.connectionsLimit.set(this.#perPod);
  }

  /** Applies the limits to a server that does not listen yet. */
  watch(server: Server): void {
    server.maxConnections = this.#perPod + refusalsMax;
    server.on('drop', () => this.#deps.metrics.connectionsRefused.inc({ reason: 'reset' }));
    server.on('connection', (socket: Socket) => this.#admit(socket));
  }

  /** Returns which limit refuses the connection; undefined if it is open. */
  findRefusal(socket: Socket): ConnectionRefusal | undefined {
    return this.#refused.get(socket);
  }

  #admit(socket: Socket): void {
    // Undefined if the client has already closed the connection.
    const address = socket.remoteAddress ?? '';
    const key = this.#deps.limits.perAddress === 0 || this.#isProxyPeer(address) ? null : toNetwork(address);
    const refusal = this.#findExceeded(key);
    if (refusal === null) this.#count(socket, key);
    else this.#refuse(socket, refusal, key);
  }

  #findExceeded(key: string | null): ConnectionRefusal | null {
    const { perAddress } = this.#deps.limits;
    if (key !== null && (this.#openByAddress.get(key) ?? 0) >= perAddress) return 'per-address';
    return this.#open >= this.#perPod ? 'per-pod' : null;
  }

  #count(socket: Socket, key: string | null): void {
    this.#open += 1;
    this.#deps.metrics.connectionsOpen.inc();
    if (key !== null) this.#openByAddress.set(key, (this.#openByAddress.get(key) ?? 0) + 1);
    onceClosed(socket, () => {
      this.#open -= 1;
      this.#deps.metrics.connectionsOpen.dec();
      if (key === null) return;
      const remaining = (this.#openByAddress.get(key) ?? 0) - 1;
      if (remaining > 0) this.#openByAddress.set(key, remaining);
      else this.#openByAddress.delete(key);
    });
  }

  #refuse(socket: Socket, refusal: ConnectionRefusal, key: string | null): void {
    this.#log(refusal, key);
    if (this.#refusing >= refusalsMax) {
      this.#deps.metrics.connectionsRefused.inc({ reason: 'reset' });
      socket.resetAndDestroy();
      return;
    }
    this.#deps.metrics.connectionsRefused.inc({ reason: refusal });
    this.#refused.set(socket, refusal);
    this.#refusing += 1;
    const timer = setTimeout(() => socket.destroy(), refusalMs);
    onceClosed(socket, () => {
      clearTimeout(timer);
      this.#refusing -= 1;
    });
  }

  #log(refusal: ConnectionRefusal, key: string | null): void {
    const nowMs = performance.now();
    if (nowMs - this.#loggedAtMs < logPauseMs) return;
    this.#loggedAtMs = nowMs;
    const perPodSetting = this.#perPod < this.#deps.limits.perPod ? 'ulimit -n' : 'STREAMS_PER_POD';
    const setting = refusal === 'per-pod' ? perPodSetting : 'CONNECTIONS_PER_ADDRESS';
    const hint = 'If the address is a proxy, add it to TRUSTED_PROXIES: proxies have no limit per address.';
    this.#deps.logger.warn(
      { setting, ...(refusal === 'per-address' ? { clientAddress: key, hint } : {}) },
      'connections.refused',
    );
  }
}

/**
 * Calls `listener` once the connection is closed. A stream emits `close` while its connection stays open, and then
 * removes all listeners (`takeSocketFromHttp`): after such an event, this function listens again.
 */
function onceClosed(socket: Socket, listener: () => void): void {
  socket.once('close', () => {
    if (socket.destroyed) listener();
    else queueMicrotask(() => onceClosed(socket, listener));
  });
}

/**
 * Answers the request on a refused connection, before anything else is done for it: with the problem
 * `too-many-connections`, or, at the address of a stream, with the stream that `refuseStream` returns: any status but
 * 200 would end a browser's EventSource for good. The token is not checked. The connection closes after the answer.
 */
export function registerConnectionRefusals(
  app: FastifyInstance,
  connections: Pick<ConnectionLimiter, 'findRefusal'>,
  refuseStream: (refusal: ConnectionRefusal) => string | Buffer,
): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { method, url = '', socket } = request.raw;
    const refusal = connections.findRefusal(socket);
    if (refusal === undefined) return done();
    // `ConnectionLimiter` logs once a minute: a flood of connections must not become a flood of lines.
    request.isLogged = true;
    setCommonHeaders(request, reply);
    reply.header('connection', 'close');
    const isStream = isStreamAddress(url) || isSessionStreamAddress(url);
    if (method !== 'GET' || !isStream) sendProblem(reply, { code: 'too-many-connections' });
    else reply.header('content-type', 'text/event-stream; charset=utf-8').send(refuseStream(refusal));
  });
}

/** Returns how many files this process may have open (`ulimit -n`). Infinite where the system does not say it. */
export function readOpenFilesMax(): number {
  try {
    const [, max] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return max === undefined ? Number.POSITIVE_INFINITY : Number(max);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
