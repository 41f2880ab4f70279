import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Chunk } from './chunk.ts';
import { createResponseSink } from './response-sink.ts';

/** Far more than the system takes for a client that reads nothing. */
const muchBytes = 32 * 1024 * 1024;
const aPiece = new Chunk(Buffer.alloc(16 * 1024, 'x'));

/** A response whose headers are sent, over a real connection to a client that reads nothing until it is told to. */
async function openSink(endWithinMs?: number) {
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
  // As the service bounds the time that other answers may take.
  socket.setTimeout(60_000);
  return { sink: createResponseSink(response, socket, endWithinMs), socket, client };
}

/** From now on the client reads; resolves with how many bytes it has got when the other side ends. */
async function readAll(client: Socket): Promise<number> {
  let bytes = 0;
  client.on('data', (data) => {
    bytes += data.length;
  });
  await once(client, 'end');
  return bytes;
}

describe('a sink', () => {
  it('tells when everything was taken, also where little lay unsent', async () => {
    const { sink, client } = await openSink();
    const drained = new Promise<void>((resolve) => sink.onDrain(resolve));
    while (sink.unsentBytes() === 0) sink.write(aPiece);
    expect(sink.unsentBytes()).toBeLessThan(32 * 1024);
    client.resume();
    await drained;
    expect(sink.unsentBytes()).toBe(0);
  });

  it('may be quiet for longer than other answers', async () => {
    const { socket } = await openSink();
    expect(socket.timeout).toBe(0);
  });

  it('shows what was taken of a large write before all of it was', async () => {
    const { sink, client } = await openSink();
    const drained = new Promise<void>((resolve) => sink.onDrain(resolve));
    sink.write(new Chunk(Buffer.alloc(muchBytes)));
    const givenBytes = sink.sentBytes() + sink.unsentBytes();
    expect(givenBytes).toBeGreaterThanOrEqual(muchBytes);
    expect(sink.sentBytes()).toBeGreaterThan(0);
    expect(sink.unsentBytes()).toBeGreaterThan(0);
    client.resume();
    await drained;
    expect(sink.sentBytes()).toBe(givenBytes);
  });

  it('keeps the order of what is written while the client takes nothing', async () => {
    const { sink, client } = await openSink();
    // Some are larger than what is handed to the socket at once, and wait in pieces before those that follow.
    const lengthOf = (index: number) => (index % 100 === 0 ? 200_000 : index * 3);
    const texts = Array.from({ length: 3_000 }, (_, index) => `${index}:${'x'.repeat(lengthOf(index))}\n`);
    for (const text of texts) sink.write(new Chunk(Buffer.from(text)));
    sink.end(new Chunk(Buffer.from('end')));
    let told = '';
    client.on('data', (data) => {
      told += data.toString('latin1');
    });
    await once(client, 'end');
    // Without the chunks' sizes and ends, which stand on lines of their own.
    const blocks = told.split(/\r\n[0-9a-f]+\r\n/).slice(1, -1);
    expect(blocks.join('') === `${texts.join('')}end`).toBe(true);
  });
});

describe('an ended stream', () => {
  it('is taken to the last byte by a client that reads, and then closed, whether or not the client closes too', async () => {
    const { sink, socket, client } = await openSink();
    sink.write(new Chunk(Buffer.alloc(muchBytes)));
    sink.end(new Chunk(Buffer.from('last words')));
    expect(sink.unsentBytes()).toBeGreaterThan(0);
    const closed = once(socket, 'close');
    expect(await readAll(client)).toBeGreaterThan(muchBytes);
    await closed;
  });

  it('is closed after a while where the client takes nothing', async () => {
    const { sink, socket } = await openSink(50);
    sink.write(new Chunk(Buffer.alloc(muchBytes)));
    sink.end(new Chunk(Buffer.from('last words')));
    expect(sink.unsentBytes()).toBeGreaterThan(0);
    await once(socket, 'close');
    expect(socket.destroyed).toBe(true);
  });
});
