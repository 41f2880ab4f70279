import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { createLogger } from '@widget-service/shared/runtime/logger.ts';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { answerParserError } from './error-handler.ts';

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

it('a request that does not get to its end in time is refused', async () => {
  client.write('GET /events/');
  await once(socket, 'data');
  answerParserError(timeout, socket, logger);
  expect(await text(client)).toMatch(/^HTTP\/1\.1 400 .*"code":"request-timeout"/s);
});

it('a connection of which nothing was read is closed without a word, so that who listens to events comes back', async () => {
  answerParserError(timeout, socket, logger);
  expect(await text(client)).toBe('');
});
