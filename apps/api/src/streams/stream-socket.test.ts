import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Chunk } from './fan-out/chunk.ts';
import { anEntitlement } from './fan-out/testing/fake-hub.ts';
import { SocketSink, takeSocketFromHttp } from './stream-socket.ts';
import { exchange, listen, makeGet, readText } from './testing/stream-server.ts';

test('relies on internals of Node 24: with another version, read takeSocketFromHttp and SocketSink before you change this number', () => {
  expect(process.versions.node.split('.')[0]).toBe('24');
});

/** Until `check` does not throw, for at most 10 s. */
const waitUntil = (check: () => void) => vi.waitFor(check, { timeout: 10_000, interval: 5 });

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

describe('the connection of an open stream', () => {
  test('keeps neither the request nor the response in memory', async () => {
    const { app, hub, port } = await listen({});
    const references: WeakRef<object>[] = [];
    app.server.prependListener('request', (request, response) => {
      references.push(new WeakRef(request), new WeakRef(response));
    });
    const client = connect(port, '127.0.0.1', () => client.write(makeGet('/api/v1/events/token')));
    onTestFinished(() => void client.destroy());
    await once(client, 'data');
    await waitUntil(() => expect(hub.size()).toBe(1));
    await waitUntil(() => {
      collectGarbage();
      expect(references.map((reference) => reference.deref() === undefined)).toEqual([true, true]);
    });
  });

  test('stays open, whatever the client sends on it', async () => {
    const { hub, port } = await listen({});
    const client = connect(port, '127.0.0.1', () => client.write(makeGet('/api/v1/events/token')));
    const received = readText(client);
    await waitUntil(() => expect(hub.size()).toBe(1));
    client.write(`nonsense\r\n\r\n${makeGet('/late')}`);
    await exchange(port, makeGet('/late', 'Connection: close\r\n'));
    hub.close();
    const text = await received;
    expect(text).toContain('event: stream.closing');
    expect(text.split('HTTP/1.1')).toHaveLength(2);
  });

  test('leaves the stack traces of later errors as they were', async () => {
    const { hub, port } = await listen({});
    const client = connect(port, '127.0.0.1', () => client.write(makeGet('/api/v1/events/token')));
    onTestFinished(() => void client.destroy());
    await waitUntil(() => expect(hub.size()).toBe(1));
    expect(new Error('later').stack).toContain('stream-socket.test.ts');
  });

  test('closes if the client has pipelined another request behind the stream', async () => {
    const { hub, admit, port } = await listen({});
    await exchange(port, makeGet('/api/v1/events/token') + makeGet('/never'));
    await waitUntil(() => expect(hub.size()).toBe(0));
    expect(admit(anEntitlement().holder).status).toBe('admitted');
  });

  test('closes if the client closes its half', async () => {
    const { hub, port } = await listen({});
    const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () =>
      client.write(makeGet('/api/v1/events/token')),
    );
    const received = readText(client);
    await waitUntil(() => expect(hub.size()).toBe(1));
    client.end();
    await received;
    await waitUntil(() => expect(hub.size()).toBe(0));
  });
});

/** Far more than the operating system buffers for a client that reads nothing. */
const largeBytes = 32 * 1024 * 1024;
const smallChunk = new Chunk(Buffer.alloc(16 * 1024, 'x'));

/**
 * Opens a sink over a real connection. The response's headers are sent; the client reads nothing until the test lets
 * it.
 */
async function openSink(endWithinMs = 60_000) {
  const responses: ServerResponse[] = [];
  const server = createServer((_request, response) => {
    response.writeHead(200).flushHeaders();
    responses.push(response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await once(client, 'readable');
  onTestFinished(() => {
    client.destroy();
    server.close();
  });
  const [response] = responses;
  if (response?.socket == null) throw new Error('no response');
  const { socket } = response;
  // The server sets this time-out for every response.
  socket.setTimeout(60_000);
  await takeSocketFromHttp(response, socket);
  return { sink: new SocketSink(socket, { isChunked: true, endWithinMs }), socket, client };
}

/** Lets the client read until the server ends. Resolves to the number of bytes received. */
async function readAll(client: Socket): Promise<number> {
  let bytes = 0;
  client.on('data', (data) => {
    bytes += data.length;
  });
  await once(client, 'end');
  return bytes;
}

describe('SocketSink', () => {
  test('calls the drain listener even after few unsent bytes', async () => {
    const { sink, client } = await openSink();
    const drained = new Promise<void>((resolve) => sink.onDrain(resolve));
    while (sink.unsentBytes() === 0) sink.write(smallChunk);
    expect(sink.unsentBytes()).toBeLessThan(32 * 1024);
    client.resume();
    await drained;
    expect(sink.unsentBytes()).toBe(0);
  });

  test('removes the idle time-out of the socket', async () => {
    const { socket } = await openSink();
    expect(socket.timeout).toBe(0);
  });

  test('reports the progress of a large write before it is complete', async () => {
    const { sink, client } = await openSink();
    const drained = new Promise<void>((resolve) => sink.onDrain(resolve));
    sink.write(new Chunk(Buffer.alloc(largeBytes)));
    const writtenBytes = sink.sentBytes() + sink.unsentBytes();
    expect(writtenBytes).toBeGreaterThanOrEqual(largeBytes);
    expect(sink.sentBytes()).toBeGreaterThan(0);
    expect(sink.unsentBytes()).toBeGreaterThan(0);
    client.resume();
    await drained;
    expect(sink.sentBytes()).toBe(writtenBytes);
  });

  test('keeps the order of writes while the client reads nothing', async () => {
    const { sink, client } = await openSink();
    // Every hundredth text is larger than one write to the socket, so the sink queues it in pieces.
    const textLength = (index: number) => (index % 100 === 0 ? 200_000 : index * 3);
    const texts = Array.from({ length: 3_000 }, (_, index) => `${index}:${'x'.repeat(textLength(index))}\n`);
    for (const text of texts) sink.write(new Chunk(Buffer.from(text)));
    sink.end(new Chunk(Buffer.from('end')));
    let received = '';
    client.on('data', (data) => {
      received += data.toString('latin1');
    });
    await once(client, 'end');
    // The split removes the chunk sizes and chunk ends, which are on lines of their own.
    const blocks = received.split(/\r\n[0-9a-f]+\r\n/).slice(1, -1);
    expect(blocks.join('') === `${texts.join('')}end`).toBe(true);
  });
});

describe('SocketSink.end', () => {
  test('sends every byte to a client that reads, then closes the connection even if the client does not', async () => {
    const { sink, socket, client } = await openSink();
    sink.write(new Chunk(Buffer.alloc(largeBytes)));
    sink.end(new Chunk(Buffer.from('last bytes')));
    expect(sink.unsentBytes()).toBeGreaterThan(0);
    const closed = once(socket, 'close');
    expect(await readAll(client)).toBeGreaterThan(largeBytes);
    await closed;
  });

  test('closes the connection after the time limit if the client reads nothing', async () => {
    const { sink, socket } = await openSink(50);
    sink.write(new Chunk(Buffer.alloc(largeBytes)));
    sink.end(new Chunk(Buffer.from('last bytes')));
    expect(sink.unsentBytes()).toBeGreaterThan(0);
    await once(socket, 'close');
    expect(socket.destroyed).toBe(true);
  });
});
