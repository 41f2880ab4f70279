import { once } from 'node:events';
import http from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { expect, test } from 'vitest';
import { listen, listenFurther, resolveListenHost } from './listen-addresses.ts';

const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));

test('`::` stands for both families where the machine has IPv6, and for IPv4 elsewhere', async () => {
  const [address = '', ...others] = await resolveListenHost('::');
  expect([address, others]).toEqual([hasIpv6 ? '::' : '0.0.0.0', []]);
  const server = createServer((socket) => socket.end());
  await listen(server, address, 0);
  const { port } = server.address() as AddressInfo;
  for (const target of hasIpv6 ? ['127.0.0.1', '::1'] : ['127.0.0.1']) await once(connect(port, target), 'connect');
  server.close();
});

test('a name stands for all its addresses that this machine has, and an address for itself', async () => {
  expect(await resolveListenHost('localhost')).toContain('127.0.0.1');
  expect(await resolveListenHost('127.0.0.1')).toEqual(['127.0.0.1']);
  expect(await resolveListenHost('[::1]')).toEqual(['::1']);
  await expect(resolveListenHost('nowhere.invalid')).rejects.toThrow(/nowhere\.invalid/);
});

test('one HTTP server serves all addresses at one port, and closes when the connections of all have ended', async () => {
  const server = http.createServer((request, response) => response.end(request.socket.localAddress));
  await listen(server, '127.0.0.1', 0);
  const further = await listenFurther(server, ['127.0.0.2']);
  const { port } = server.address() as AddressInfo;
  const read = async (address: string) => (await fetch(`http://${address}:${port}/`)).text();
  expect([await read('127.0.0.1'), await read('127.0.0.2')]).toEqual(['127.0.0.1', '127.0.0.2']);
  const closed = further.close();
  server.closeAllConnections();
  await closed;
  await expect(read('127.0.0.2')).rejects.toThrow();
  server.close();
});

test('rejects if one of the addresses is in use, and then uses none of the others', async () => {
  const taken = createServer();
  await listen(taken, '127.0.0.3', 0);
  const { port } = taken.address() as AddressInfo;
  const server = http.createServer();
  await listen(server, '127.0.0.1', port);
  await expect(listenFurther(server, ['127.0.0.2', '127.0.0.3'])).rejects.toMatchObject({ code: 'EADDRINUSE' });
  await expect(once(connect(port, '127.0.0.2'), 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  for (const open of [taken, server]) open.close();
});
