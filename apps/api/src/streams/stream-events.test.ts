import { connect } from 'node:net';
import { noFilter } from '@widget-service/shared/domain/event-filter.ts';
import { describe, expect, test } from 'vitest';
import type { StreamTokenVerdict } from '../revocation/stream-entitlement.ts';
import { anEntitlement } from './fan-out/testing/fake-hub.ts';
import { exchange, listen, makeGet, validToken } from './testing/stream-server.ts';

test('opens a stream in a time slice and answers other requests in the meantime', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { port } = await listen({ nextSlice: () => promise });
  let isOpen = false;
  const stream = exchange(port, makeGet('/api/v1/events/token'), (text) => {
    isOpen = text.includes('event: stream.open');
    return isOpen;
  });
  expect(await exchange(port, makeGet('/late', 'Connection: close\r\n'))).toContain('late');
  expect(isOpen).toBe(false);
  resolve();
  expect(await stream).toContain('event: stream.open');
});

describe('a client that leaves before its stream is opened', () => {
  test.each([
    ['alone on its connection', ''],
    ['pipelined behind a request that is not answered yet', makeGet('/never')],
  ])('releases its admission: %s', async (_, earlierRequest) => {
    const { promise: slice, resolve: startSlice } = Promise.withResolvers<void>();
    const { promise: waiting, resolve: isWaiting } = Promise.withResolvers<void>();
    const { app, port } = await listen({
      nextSlice: () => {
        isWaiting();
        return slice;
      },
    });
    const closed = new Promise<unknown>((resolve) => {
      app.server.once('connection', (socket) => socket.once('close', resolve));
    });
    const client = connect(port, '127.0.0.1', () => client.write(earlierRequest + makeGet('/api/v1/events/token')));
    await waiting;
    client.destroy();
    await closed;
    startSlice();
    // The subscription may have one stream, so the next one opens only if the first released its admission.
    const next = await exchange(port, makeGet('/api/v1/events/token'), (text) => text.includes('event: stream.'));
    expect(next).toContain('event: stream.open');
  });
});

describe('an entitlement that changes between verification and join', () => {
  /** The generation rises once, right after the first verification. */
  const makeOneChange = () => {
    let generation = 7;
    return {
      generation: () => generation,
      beforeJoin: () => {
        generation += 1;
      },
    };
  };

  test.each([
    ['revoked', { status: 'invalid' }],
    ['unavailable', { status: 'unavailable' }],
  ] as const)('ends the stream if the token is no longer valid: %s', async (reason, verdict) => {
    const { hub, admit, url } = await listen({ verdicts: [validToken, verdict], ...makeOneChange() });
    const response = await fetch(url);
    expect(response.status).toBe(200);
    expect(await response.text()).toMatch(
      new RegExp(`event: stream\\.closing\\ndata: \\{"reason":"${reason}"\\}\\nretry: \\d+\\n\\n$`),
    );
    expect(hub.size()).toBe(0);
    expect(admit(anEntitlement().holder).status).toBe('admitted');
  });

  test('gives the stream the current entitlement', async () => {
    const changed = anEntitlement({ labels: ['red'] });
    const { hub, port } = await listen({
      verdicts: [validToken, { status: 'ok', entitlement: changed }],
      ...makeOneChange(),
    });
    await exchange(port, makeGet('/api/v1/events/token'), () => hub.size() === 1);
    expect([...hub.entitlements()]).toEqual([changed]);
  });

  test('is not verified again when the generation is unchanged', async () => {
    const { hub, port } = await listen({ verdicts: [validToken, { status: 'invalid' }] });
    await exchange(port, makeGet('/api/v1/events/token'), () => hub.size() === 1);
    expect([...hub.entitlements()].map(({ filter }) => filter)).toEqual([noFilter]);
  });
});

describe('the opening messages', () => {
  test('leave as one write with the status and headers', async () => {
    const { writes, port } = await listen({});
    await exchange(port, makeGet('/api/v1/events/token'), (text) => text.includes(':   '));
    expect(writes).toHaveLength(1);
    expect(writes[0]).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(writes[0]).toMatch(/id: e1\.1000\.0\nevent: stream\.gap\n[\s\S]*id: e1\.1000\.0\nevent: stream\.open\n/);
  });

  test('arrive complete after an earlier pipelined response', async () => {
    const { port } = await listen({});
    const text = await exchange(port, makeGet('/late') + makeGet('/api/v1/events/token'), (text) =>
      text.includes(':   '),
    );
    expect(text).toMatch(/late[\s\S]*HTTP\/1\.1 200 OK[\s\S]*event: stream\.gap\n[\s\S]*event: stream\.open\n/);
  });

  test('arrive complete and without chunk framing at an HTTP/1.0 client', async () => {
    const { port } = await listen({});
    const request = 'GET /api/v1/events/token HTTP/1.0\r\n\r\n';
    const text = await exchange(port, request, (text) => text.endsWith(' \n\n'));
    expect(text).toMatch(/\r\n\r\nid: e1\.1000\.0\nevent: stream\.gap\ndata: .*\n\nid: .*\nevent: stream\.open\n/);
  });
});

test.each<[string, string, (StreamTokenVerdict | Error)[], number]>([
  ['GET', 'a stream that cannot be opened now', [{ status: 'unavailable' }], 200],
  ['GET', 'an unknown token', [{ status: 'invalid' }], 404],
  ['GET', 'an internal error', [new Error('a bug')], 500],
  ['HEAD', 'a valid token', [validToken], 200],
  ['HEAD', 'an unknown token', [{ status: 'invalid' }], 404],
  ['OPTIONS', 'any token', [{ status: 'invalid' }], 204],
])('lets pages of any origin read the response to %s: %s', async (method, _case, verdicts, status) => {
  const { url } = await listen({ verdicts });
  const response = await fetch(url, { method, headers: { origin: 'https://elsewhere.example' } });
  expect(response.status).toBe(status);
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  expect(response.headers.get('access-control-allow-credentials')).toBeNull();
  await response.text();
});
