import { type AddressInfo, connect, type Socket } from 'node:net';
import { noFilter } from '@widget-service/shared/domain/event-filter.ts';
import type { StreamStart } from '@widget-service/shared/domain/stream-start.ts';
import { createMetrics } from '@widget-service/shared/runtime/metrics.ts';
import { fastify } from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import type { StreamTokenVerdict } from '../../auth/stream-entitlement.ts';
import { registerErrorHandler } from '../../http/error-handler.ts';
import { decorateRequests } from '../../http/request-state.ts';
import { makeAdmitStream } from '../../stream/admit-stream.ts';
import { anEntitlement, openFakeHub } from '../../stream/testing/fake-hub.ts';
import { registerStreamRoute } from './stream-events.ts';

const closes: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closes.splice(0)) await close();
});

const ok: StreamTokenVerdict = { status: 'ok', entitlement: anEntitlement() };
const start: StreamStart = {
  position: { epoch: 'e1', ms: 1_000, seq: 0 },
  resumed: false,
  gap: { requested: 'e0.1.1', reason: 'epoch-changed' },
};

interface RouteOptions {
  /** What the token is found to be, time after time; the last one holds on. */
  readonly verdicts?: readonly (StreamTokenVerdict | Error)[];
  /** Happens after the token was verified, before the stream joins the others. */
  readonly meanwhile?: () => void;
  readonly generation?: () => number;
  /** When a newcomer may be opened; the hub's own way unless it is given. */
  readonly turn?: () => Promise<void>;
}

/** The route on a server of its own, over a real hub. */
async function listen({ verdicts = [ok], meanwhile = () => undefined, generation = () => 0, turn }: RouteOptions) {
  const { hub } = openFakeHub({ ringFrames: 10 });
  const admit = makeAdmitStream({ perToken: 1, perPod: 10 });
  const left = [...verdicts];
  const app = fastify({ exposeHeadRoutes: false });
  decorateRequests(app);
  registerErrorHandler(app);
  const writes: string[] = [];
  app.server.on('connection', (socket) => watchWrites(socket, writes));
  app.get('/never', () => new Promise(() => undefined));
  app.get('/late', async () => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    return 'late';
  });
  await app.register(async (scope) =>
    registerStreamRoute(scope, {
      verifyToken: async () => {
        const verdict = left.length > 1 ? left.shift() : left[0];
        if (verdict instanceof Error) throw verdict;
        return verdict ?? ok;
      },
      generation,
      recordLastUsed: () => undefined,
      openStream: async () => {
        meanwhile();
        return start;
      },
      hub: { nextSlice: turn ?? (() => hub.nextSlice()), join: (request) => hub.join(request) },
      metrics: createMetrics(),
      admit,
      heartbeatIntervalMs: 15_000,
    }),
  );
  await app.listen({ host: '127.0.0.1', port: 0 });
  closes.push(async () => {
    hub.close();
    await app.close();
  });
  const { port } = app.server.address() as AddressInfo;
  return { app, hub, admit, writes, port, url: `http://127.0.0.1:${port}/api/v1/events/token` };
}

/** Everything the server says on one connection until it closes it, or until `isEnough`. */
function talk(port: number, said: string, isEnough: (text: string) => boolean = () => false): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(said));
    socket.on('data', (bytes) => {
      text += bytes;
      if (isEnough(text)) socket.destroy();
    });
    socket.once('close', () => resolve(text));
    socket.once('error', reject);
  });
}

const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`;

it('a newcomer is opened when it is its turn, and others are answered meanwhile', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { port } = await listen({ turn: () => promise });
  let isOpen = false;
  const newcomer = talk(port, get('/api/v1/events/token'), (text) => {
    isOpen = text.includes('event: stream.open');
    return isOpen;
  });
  expect(await talk(port, get('/late', 'Connection: close\r\n'))).toContain('late');
  expect(isOpen).toBe(false);
  resolve();
  expect(await newcomer).toContain('event: stream.open');
});

describe('a client that leaves before its stream is opened', () => {
  it.each([
    ['alone on its connection', ''],
    ['behind another request that is not answered yet', get('/never')],
  ])('gives its place back: %s', async (_, before) => {
    const { promise: turn, resolve: openAll } = Promise.withResolvers<void>();
    const { promise: waiting, resolve: isWaiting } = Promise.withResolvers<void>();
    const { app, port } = await listen({
      turn: () => {
        isWaiting();
        return turn;
      },
    });
    const closed = new Promise<unknown>((resolve) => {
      app.server.once('connection', (socket) => socket.once('close', resolve));
    });
    const client = connect(port, '127.0.0.1', () => client.write(before + get('/api/v1/events/token')));
    await waiting;
    client.destroy();
    await closed;
    openAll();
    // The token may have one stream.
    const next = await talk(port, get('/api/v1/events/token'), (told) => told.includes('event: stream.'));
    expect(next).toContain('event: stream.open');
  });
});

describe('a right that changes between its verification and the joining', () => {
  /** The control log speaks once, right after the token was verified. */
  const oneChange = () => {
    let generation = 7;
    return {
      generation: () => generation,
      meanwhile: () => {
        generation += 1;
      },
    };
  };

  it.each([
    ['revoked', { status: 'unknown' }],
    ['unavailable', { status: 'unavailable' }],
  ] as const)('and is gone by then ends the stream: %s', async (reason, verdict) => {
    const { hub, admit, url } = await listen({ verdicts: [ok, verdict], ...oneChange() });
    const response = await fetch(url);
    expect(response.status).toBe(200);
    expect(await response.text()).toMatch(
      new RegExp(`event: stream\\.closing\\ndata: \\{"reason":"${reason}"\\}\\nretry: \\d+\\n\\n$`),
    );
    expect(hub.size()).toBe(0);
    expect(admit(anEntitlement().holder).status).toBe('admitted');
  });

  it('is as it is then', async () => {
    const changed = anEntitlement({ labels: ['red'] });
    const { hub, port } = await listen({ verdicts: [ok, { status: 'ok', entitlement: changed }], ...oneChange() });
    await talk(port, get('/api/v1/events/token'), () => hub.size() === 1);
    expect([...hub.entitlements()]).toEqual([changed]);
  });

  it('is not looked at again when nothing has changed', async () => {
    const { hub, port } = await listen({ verdicts: [ok, { status: 'unknown' }] });
    await talk(port, get('/api/v1/events/token'), () => hub.size() === 1);
    expect([...hub.entitlements()].map(({ filter }) => filter)).toEqual([noFilter]);
  });
});

describe('the opening', () => {
  it('leaves as one write: status, headers, gap and stream.open', async () => {
    const { writes, port } = await listen({});
    await talk(port, get('/api/v1/events/token'), (text) => text.includes(':   '));
    expect(writes).toHaveLength(1);
    expect(writes[0]).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(writes[0]).toMatch(/id: e1\.1000\.0\nevent: stream\.gap\n[\s\S]*id: e1\.1000\.0\nevent: stream\.open\n/);
  });

  it('comes whole behind another answer on the connection', async () => {
    const { port } = await listen({});
    const text = await talk(port, get('/late') + get('/api/v1/events/token'), (told) => told.includes(':   '));
    expect(text).toMatch(/late[\s\S]*HTTP\/1\.1 200 OK[\s\S]*event: stream\.gap\n[\s\S]*event: stream\.open\n/);
  });

  it('comes whole to a client of HTTP/1.0', async () => {
    const { port } = await listen({});
    const said = 'GET /api/v1/events/token HTTP/1.0\r\n\r\n';
    const text = await talk(port, said, (told) => told.endsWith(' \n\n'));
    expect(text).toMatch(/\r\n\r\nid: e1\.1000\.0\nevent: stream\.gap\ndata: .*\n\nid: .*\nevent: stream\.open\n/);
  });
});

it.each<[string, string, (StreamTokenVerdict | Error)[], number]>([
  ['GET', 'a stream that cannot be opened now', [{ status: 'unavailable' }], 200],
  ['GET', 'an unknown token', [{ status: 'unknown' }], 404],
  ['GET', 'a failure of ours', [new Error('a bug')], 500],
  ['HEAD', 'a good token', [ok], 200],
  ['HEAD', 'an unknown token', [{ status: 'unknown' }], 404],
  ['OPTIONS', 'any token', [{ status: 'unknown' }], 204],
])('a page of any origin may read the answer to %s: %s', async (method, _what, verdicts, status) => {
  const { url } = await listen({ verdicts });
  const response = await fetch(url, { method, headers: { origin: 'https://elsewhere.example' } });
  expect(response.status).toBe(status);
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  expect(response.headers.get('access-control-allow-credentials')).toBeNull();
  await response.text();
});

/** Notes what a socket hands to the system at once, as one text each. */
function watchWrites(socket: Socket, writes: string[]): void {
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
