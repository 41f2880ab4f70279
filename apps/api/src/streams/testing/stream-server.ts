import { type AddressInfo, connect, type Socket } from 'node:net';
import type { StreamStart } from '@widget-service/shared/domain/stream-start.ts';
import { createMetrics } from '@widget-service/shared/metrics/metrics.ts';
import { fastify } from 'fastify';
import { onTestFinished } from 'vitest';
import { registerErrorHandler } from '../../http/answer-failure.ts';
import { decorateRequests } from '../../http/request-state.ts';
import { registerRoute } from '../../http/route.ts';
import type { StreamTokenVerdict } from '../../revocation/stream-entitlement.ts';
import { makeAdmitStream } from '../admit-stream.ts';
import { anEntitlement, openFakeHub } from '../fan-out/testing/fake-hub.ts';
import {
  preflightStreamRoute,
  probeStreamRoute,
  registerServerSentEvents,
  type StreamRouteDeps,
  streamEventsRoute,
} from '../stream-events.ts';

export const validToken: StreamTokenVerdict = { status: 'ok', entitlement: anEntitlement() };
const start: StreamStart = {
  position: { epoch: 'e1', ms: 1_000, seq: 0 },
  resumed: false,
  gap: { requested: 'e0.1.1', reason: 'epoch-changed' },
};

interface RouteOptions {
  /** The outcomes of the verifications, in order. The last one repeats. */
  readonly verdicts?: readonly (StreamTokenVerdict | Error)[];
  /** Runs after the token was verified and before the stream joins the hub. */
  readonly beforeJoin?: () => void;
  readonly generation?: () => number;
  /** Replaces `Hub.nextSlice`. */
  readonly nextSlice?: () => Promise<void>;
}

/** Starts a server with the stream route over a hub with a fake log. A subscription may have one stream. */
export async function listen({
  verdicts = [validToken],
  beforeJoin = () => undefined,
  generation = () => 0,
  nextSlice,
}: RouteOptions) {
  const { hub } = openFakeHub({ ringFrames: 10 });
  const admit = makeAdmitStream({ perOwner: 1, perPod: 10 });
  const remainingVerdicts = [...verdicts];
  const app = fastify({ exposeHeadRoutes: false });
  decorateRequests(app);
  registerErrorHandler(app);
  const writes: string[] = [];
  app.server.on('connection', (socket) => recordWrites(socket, writes));
  app.get('/never', () => new Promise(() => undefined));
  app.get('/late', async () => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    return 'late';
  });
  await app.register(async (scope) => {
    await registerServerSentEvents(scope);
    const deps: StreamRouteDeps = {
      verifyToken: async () => {
        const verdict = remainingVerdicts.length > 1 ? remainingVerdicts.shift() : remainingVerdicts[0];
        if (verdict instanceof Error) throw verdict;
        return verdict ?? validToken;
      },
      verifySession: async () => validToken,
      generation,
      recordLastUsed: () => undefined,
      findStreamStart: async () => {
        beforeJoin();
        return start;
      },
      hub: { nextSlice: nextSlice ?? (() => hub.nextSlice()), join: (request) => hub.join(request) },
      metrics: createMetrics(),
      admit,
      trustedProxies: null,
      heartbeatIntervalMs: 15_000,
      recordEnd: () => undefined,
    };
    const address = { path: '/api/v1/events/:token', access: {} };
    registerRoute(scope, { ...address, methods: 'GET' }, streamEventsRoute(deps));
    registerRoute(scope, { ...address, methods: 'HEAD' }, probeStreamRoute(deps));
    registerRoute(scope, { ...address, methods: 'OPTIONS' }, preflightStreamRoute());
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(async () => {
    hub.close();
    await app.close();
  });
  const { port } = app.server.address() as AddressInfo;
  return { app, hub, admit, writes, port, url: `http://127.0.0.1:${port}/api/v1/events/token` };
}

/**
 * Sends `requests` on one connection. Resolves to everything received when the server closes it, or `isEnough` is true.
 */
export function exchange(
  port: number,
  requests: string,
  isEnough: (text: string) => boolean = () => false,
): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(requests));
    socket.on('data', (bytes) => {
      text += bytes;
      if (isEnough(text)) socket.destroy();
    });
    socket.once('close', () => resolve(text));
    socket.once('error', reject);
  });
}

/** Resolves to everything received when the server ends its half. */
export async function readText(socket: Socket): Promise<string> {
  let text = '';
  for await (const bytes of socket) text += bytes;
  return text;
}

/** Returns the bytes of a GET. `headers` are whole lines, each with its CRLF. */
export const makeGet = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`;

/** Records each write of a socket to the operating system as one text. */
function recordWrites(socket: Socket, writes: string[]): void {
  const inner = socket as unknown as {
    _write(chunk: Buffer, encoding: string, done: () => void): void;
    _writev(chunks: { chunk: Buffer | string }[], done: () => void): void;
  };
  const { _write, _writev } = inner;
  inner._write = (chunk, encoding, done) => {
    writes.push(chunk.toString());
    _write.call(socket, chunk, encoding, done);
  };
  inner._writev = (chunks, done) => {
    writes.push(chunks.map(({ chunk }) => chunk.toString()).join(''));
    _writev.call(socket, chunks, done);
  };
}
