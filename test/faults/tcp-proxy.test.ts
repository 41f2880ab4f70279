import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../drivers/eventually.ts';
import { openTcpProxy, type TcpProxy } from './tcp-proxy.ts';

/** Answers every text with the same text; remembers what it got. */
let server: Server;
let proxy: TcpProxy;
let got: string;
const clients: Client[] = [];

interface Client {
  readonly socket: Socket;
  readonly heard: () => string;
  readonly isClosed: () => boolean;
}

beforeEach(async () => {
  got = '';
  server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      got += bytes;
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

async function talk(text: string): Promise<Client> {
  let heard = '';
  let isClosed = false;
  const socket = connect(proxy.port, '127.0.0.1');
  socket.on('data', (bytes) => {
    heard += bytes;
  });
  socket.on('close', () => {
    isClosed = true;
  });
  const client = { socket, heard: () => heard, isClosed: () => isClosed };
  clients.push(client);
  socket.on('error', () => undefined);
  socket.write(text);
  return client;
}

const hears = (client: Client, text: string) => eventually(async () => client.heard() === text, `hears ${text}`);
const closes = (client: Client) => eventually(async () => client.isClosed(), 'is closed');

describe('a wire', () => {
  test('brings both directions', async () => {
    await hears(await talk('one'), 'one');
  });

  test('that is cut ends what there is and what comes, until it is mended', async () => {
    const before = await talk('one');
    await hears(before, 'one');
    proxy.cut();
    await closes(before);
    await closes(await talk('two'));
    await proxy.mend();
    await hears(await talk('three'), 'three');
    expect(got).toBe('onethree');
  });

  test('that refuses is as no server at all', async () => {
    await proxy.refuse();
    const [error] = await once(connect(proxy.port, '127.0.0.1'), 'error');
    expect(error).toMatchObject({ code: 'ECONNREFUSED' });
    await proxy.mend();
    await hears(await talk('one'), 'one');
  });

  test('that leads elsewhere leaves what is open where it is', async () => {
    const before = await talk('one');
    await hears(before, 'one');
    const other = createServer((socket) => socket.end('other'));
    onTestFinished(() => void other.close());
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    proxy.leadTo((other.address() as AddressInfo).port);
    await hears(await talk('two'), 'other');
    before.socket.write('three');
    await hears(before, 'onethree');
  });

  test('that is frozen brings everything, late', async () => {
    proxy.freeze();
    const client = await talk('one');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect([got, client.heard(), client.isClosed()]).toEqual(['', '', false]);
    await proxy.mend();
    await hears(client, 'one');
  });

  test('that swallows answers brings what is asked; such a connection stays dead, a new one is whole', async () => {
    const client = await talk('one');
    await hears(client, 'one');
    proxy.swallow('to-client');
    client.socket.write('two');
    await eventually(async () => got === 'onetwo', 'the server got it');
    await proxy.mend();
    client.socket.write('three');
    await eventually(async () => got === 'onetwothree', 'the server got it');
    const other = await talk('four');
    await hears(other, 'four');
    expect([client.heard(), client.isClosed()]).toEqual(['one', false]);
  });

  test('that cuts replies lets what matches through and ends the connection, so many times', async () => {
    proxy.cutReplies(1, (request) => request.includes('add'));
    await hears(await talk('get'), 'get');
    const cut = await talk('add');
    await closes(cut);
    expect([got, cut.heard(), proxy.repliesCut]).toEqual(['getadd', '', 1]);
    await hears(await talk('add'), 'add');
  });
});
