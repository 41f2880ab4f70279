import { get } from 'node:http';
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
