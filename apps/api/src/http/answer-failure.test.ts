import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { createLogger } from '@widget-service/shared/runtime/logger.ts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { answerClientError } from './answer-failure.ts';

const logger = await createLogger({ level: 'silent' });
const timeout = Object.assign(new Error('timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });

let server: ReturnType<typeof createServer>;
let client: Socket;
/** The server's end of the client's connection. */
let socket: Socket;
beforeEach(async () => {
  server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  [socket] = (await once(server, 'connection')) as [Socket];
});
afterEach(() => {
  client.destroy();
  server.close();
});

describe('answerClientError, after a request timeout', () => {
  test('returns 400 if the client has sent a part of its request', async () => {
    client.write('GET /events/');
    await once(socket, 'data');
    answerClientError(timeout, socket, logger);
    expect(await text(client)).toMatch(/^HTTP\/1\.1 400 .*"code":"request-timeout"/s);
  });

  test('closes the connection without a response if nothing was read, so that an EventSource reconnects', async () => {
    answerClientError(timeout, socket, logger);
    expect(await text(client)).toBe('');
  });
});
