import { once } from 'node:events';
import { get } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { openSharedService } from '../../drivers/app/open-shared.ts';

const service = await openSharedService({}, {}, { fanOut: { heartbeatIntervalMs: 100 } });

/** Reads the raw text of a stream until `isComplete` returns true for it. */
function readText(url: string, isComplete: (text: string) => boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const request = get(url, { agent: false }, (response) => {
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
        if (!isComplete(text)) return;
        request.destroy();
        resolve(text);
      });
    });
    request.once('error', reject);
  });
}

describe('GET /api/v1/events/{token}: heartbeats', () => {
  // `httpx-sse`, `@microsoft/fetch-event-source` and `r3labs/sse` report an empty message for a blank line alone.
  test('are comment lines without a blank line', async () => {
    const { url } = await service.issueStreamUrl();
    const text = await readText(url, (received) => /\n\n(:\s+){3}$/.test(received));
    expect(text).toMatch(/ \n\n(:\n){3}$/);
  });

  test('leave the next event whole', async () => {
    const { url } = await service.issueStreamUrl();
    const hookUrl = await service.issueHookUrl();
    const body = JSON.stringify({ kind: 'updated', occurredAt: '2026-01-01T00:00:00Z' });
    let posted: Promise<Response> | undefined;
    const text = await readText(url, (received) => {
      if (/\n\n:\n+$/.test(received))
        posted ??= fetch(hookUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
      return /event: widget.*\n.*\n\n:\n+$/.test(received);
    });
    expect((await posted)?.status).toBe(202);
    expect(text).toMatch(/ \n\n(:\n)+id: \S+\nevent: widget\.updated\ndata: \{.*\}\n\n:\n$/);
  });
});

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
