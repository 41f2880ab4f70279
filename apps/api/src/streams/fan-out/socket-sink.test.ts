import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { takeSocketFromHttp } from '../open-response.ts';
import { Chunk } from './chunk.ts';
import { SocketSink } from './socket-sink.ts';

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
