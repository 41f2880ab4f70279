import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../../drivers/test-app.ts';

let service: TestApp;
let port: number;
beforeAll(async () => {
  service = await openTestApp();
  await service.app.listen({ host: '127.0.0.1', port: 0 });
  port = (service.app.server.address() as AddressInfo).port;
});
afterAll(() => service.close());

/** Sends bytes and returns all that comes back until the server closes. */
async function talk(
  text: string,
): Promise<{ status: string; type: string | undefined; body: Record<string, unknown> }> {
  const socket = connect(port, '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.on('error', () => undefined);
  socket.write(text);
  await once(socket, 'close');
  const [head = '', body = '{}'] = Buffer.concat(chunks).toString().split('\r\n\r\n');
  return {
    status: head.split('\r\n')[0] ?? '',
    type: /^content-type: (.*)$/im.exec(head)?.[1],
    body: JSON.parse(body),
  };
}

const close = 'Connection: close\r\n';

test.each([
  ['no HTTP', 'nonsense secretsecret\r\n\r\n', 'malformed-request'],
  ['large headers', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'secret'.repeat(4_000)}\r\n\r\n`, 'headers-too-large'],
  ['an expectation', `GET / HTTP/1.1\r\nHost: x\r\nExpect: secret\r\n${close}\r\n`, 'expectation-failed'],
  ['no Host', `GET / HTTP/1.1\r\n${close}\r\n`, 'malformed-request'],
  ['two Hosts', `GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\n${close}\r\n`, 'malformed-request'],
  [
    'Content-Length and chunked',
    `POST /api/v1/widgets HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n${close}\r\n0\r\n\r\n`,
    'malformed-request',
  ],
])('%s', async (_, text, code) => {
  const answer = await talk(text);
  expect(answer.status).toBe('HTTP/1.1 400 Bad Request');
  expect(answer.type).toBe('application/problem+json');
  expect(answer.body).toMatchObject({ code, status: 400, requestId: expect.any(String) });
  expect(JSON.stringify(answer.body)).not.toContain('secret');
  expect(service.logLines.join('')).not.toContain('secret');
});

test('HTTP/1.0 needs no Host', async () => {
  const answer = await talk('GET /api/v1/session HTTP/1.0\r\n\r\n');
  expect(answer.body).toMatchObject({ code: 'not-authenticated' });
});
