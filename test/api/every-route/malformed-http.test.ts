import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../../drivers/app/test-app.ts';

let service: TestApp;
let port: number;
beforeAll(async () => {
  service = await openTestApp();
  await service.app.listen({ host: '127.0.0.1', port: 0 });
  port = (service.app.server.address() as AddressInfo).port;
});
afterAll(() => service.close());

/** Sends bytes, reads until the server closes the connection, and returns the one response. */
async function exchange(
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

describe('HTTP requests that the parser rejects', () => {
  test.each([
    ['bytes that are not HTTP', 'nonsense secretsecret\r\n\r\n', 'malformed-request'],
    ['headers of 24 KB', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'secret'.repeat(4_000)}\r\n\r\n`, 'headers-too-large'],
    ['an unknown Expect header', `GET / HTTP/1.1\r\nHost: x\r\nExpect: secret\r\n${close}\r\n`, 'expectation-failed'],
    ['a missing Host', `GET / HTTP/1.1\r\n${close}\r\n`, 'malformed-request'],
    ['two Host headers', `GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\n${close}\r\n`, 'malformed-request'],
    [
      'Content-Length together with Transfer-Encoding',
      `POST /api/v1/widgets HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n${close}\r\n0\r\n\r\n`,
      'malformed-request',
    ],
  ])('returns a 400 problem without the sent text for %s', async (_, text, code) => {
    const response = await exchange(text);
    expect(response.status).toBe('HTTP/1.1 400 Bad Request');
    expect(response.type).toBe('application/problem+json');
    expect(response.body).toMatchObject({ code, status: 400, requestId: expect.any(String) });
    expect(JSON.stringify(response.body)).not.toContain('secret');
    expect(service.logLines.join('')).not.toContain('secret');
  });

  test('accepts HTTP/1.0 without a Host', async () => {
    const response = await exchange('GET /api/v1/session HTTP/1.0\r\n\r\n');
    expect(response.body).toMatchObject({ code: 'not-authenticated' });
  });
});
