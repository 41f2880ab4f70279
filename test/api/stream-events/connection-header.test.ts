import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { openSharedService } from '../../drivers/app/open-shared.ts';

const service = await openSharedService();

/** Returns the head of the response to this request line and these headers. */
async function readHead(version: string, headers: readonly string[]): Promise<string> {
  const { url } = await service.issueStreamUrl();
  const { pathname, port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write([`GET ${pathname} HTTP/${version}`, 'Host: 127.0.0.1', ...headers, '', ''].join('\r\n'));
  const [bytes] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return bytes.toString().split('\r\n\r\n')[0] ?? '';
}

test.each([
  ['1.1', [], 'keep-alive', true],
  ['1.1', ['Connection: close'], 'close', true],
  ['1.0', [], 'close', false],
  ['1.0', ['Connection: close'], 'close', false],
  ['1.0', ['Connection: keep-alive'], 'close', false],
] as const)('a stream over HTTP/%s with %j says connection: %s', async (version, headers, connection, isChunked) => {
  const head = await readHead(version, headers);
  expect(head).toMatch(/^HTTP\/1\.1 200 /);
  expect(head.match(/^connection: .*$/gim)?.map((line) => line.toLowerCase())).toEqual([`connection: ${connection}`]);
  expect(/^transfer-encoding: chunked$/im.test(head)).toBe(isChunked);
});
