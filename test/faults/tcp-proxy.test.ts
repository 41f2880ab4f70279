import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../drivers/tools/eventually.ts';
import { openTcpProxy, type TcpProxy } from './tcp-proxy.ts';

/** Echoes every text. */
let server: Server;
let proxy: TcpProxy;
/** Everything that the server has received. */
let received: string;
const clients: Client[] = [];

interface Client {
  readonly socket: Socket;
  /** Returns everything that the client has received. */
  readonly received: () => string;
  readonly isClosed: () => boolean;
}

beforeEach(async () => {
  received = '';
  server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      received += bytes;
      socket.write(bytes);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  proxy = await openTcpProxy({ host: '127.0.0.1', port: (server.address() as AddressInfo).port });
});
afterEach(async () => {
  for (const { socket } of clients.splice(0)) socket.destroy();
  await proxy.close();
  server.close();
});

async function connectAndSend(text: string): Promise<Client> {
  let clientReceived = '';
  let isClosed = false;
  const socket = connect(proxy.port, '127.0.0.1');
  socket.on('data', (bytes) => {
    clientReceived += bytes;
  });
  socket.on('close', () => {
    isClosed = true;
  });
  const client = { socket, received: () => clientReceived, isClosed: () => isClosed };
  clients.push(client);
  socket.on('error', () => undefined);
  socket.write(text);
  return client;
}

const expectReceived = (client: Client, text: string) =>
  eventually(async () => client.received() === text, `the client receives ${text}`);
const expectClosed = (client: Client) => eventually(async () => client.isClosed(), 'the connection is closed');

describe('a TCP proxy', () => {
  test('forwards both directions', async () => {
    await expectReceived(await connectAndSend('one'), 'one');
  });

  test('cut: closes open and new connections until it is mended', async () => {
    const before = await connectAndSend('one');
    await expectReceived(before, 'one');
    proxy.cut();
    await expectClosed(before);
    await expectClosed(await connectAndSend('two'));
    await proxy.mend();
    await expectReceived(await connectAndSend('three'), 'three');
    expect(received).toBe('onethree');
  });

  test('refuse: new connections fail with ECONNREFUSED until it is mended', async () => {
    await proxy.refuse();
    const [error] = await once(connect(proxy.port, '127.0.0.1'), 'error');
    expect(error).toMatchObject({ code: 'ECONNREFUSED' });
    await proxy.mend();
    await expectReceived(await connectAndSend('one'), 'one');
  });

  test('redirectTo: new connections go to the other port, and open ones stay', async () => {
    const before = await connectAndSend('one');
    await expectReceived(before, 'one');
    const other = createServer((socket) => socket.end('other'));
    onTestFinished(() => void other.close());
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    proxy.redirectTo((other.address() as AddressInfo).port);
    await expectReceived(await connectAndSend('two'), 'other');
    before.socket.write('three');
    await expectReceived(before, 'onethree');
  });

  test('freeze: forwards nothing until it is mended, then everything', async () => {
    proxy.freeze();
    const client = await connectAndSend('one');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect([received, client.received(), client.isClosed()]).toEqual(['', '', false]);
    await proxy.mend();
    await expectReceived(client, 'one');
  });

  test('swallow: drops one direction; a connection that lost bytes stays dead, and a new one works', async () => {
    const client = await connectAndSend('one');
    await expectReceived(client, 'one');
    proxy.swallow('to-client');
    client.socket.write('two');
    await eventually(async () => received === 'onetwo', 'the server receives the second text');
    await proxy.mend();
    client.socket.write('three');
    await eventually(async () => received === 'onetwothree', 'the server receives the third text');
    const other = await connectAndSend('four');
    await expectReceived(other, 'four');
    expect([client.received(), client.isClosed()]).toEqual(['one', false]);
  });

  test('cutReplies: forwards a matching request and closes the connection instead of replying', async () => {
    proxy.cutReplies(1, (request) => request.includes('add'));
    await expectReceived(await connectAndSend('get'), 'get');
    const cut = await connectAndSend('add');
    await expectClosed(cut);
    expect([received, cut.received(), proxy.repliesCut]).toEqual(['getadd', '', 1]);
    await expectReceived(await connectAndSend('add'), 'add');
  });
});
