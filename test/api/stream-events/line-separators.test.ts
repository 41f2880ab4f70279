import { get } from 'node:http';
import { expect, test } from 'vitest';
import { openSharedService } from '../../drivers/app/open-shared.ts';

const service = await openSharedService({});

/** Every character that ends a line for Python's `str.splitlines`, and so for clients that read streams with it. */
const separators = '\n\r\u000b\u000c\u001c\u001d\u001e\u0085\u2028\u2029';
const pythonLines = new RegExp(`\r\n|[${separators}]`);

/** Reads the text of a stream until `isEnough` accepts it. */
function readText(url: string, isEnough: (text: string) => boolean, headers = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent: false, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
        if (!isEnough(text)) return;
        request.destroy();
        resolve(text);
      });
    });
    request.once('error', reject);
  });
}

/** The field names of an SSE stream; anything else is the rest of a line that was cut. */
const line = /^(?:$|:|(?:id|event|data|retry): )/;

test('a payload with every line separator is one line for every client, and arrives unchanged', async () => {
  const { url } = await service.issueStreamUrl();
  const payload = { [`key ${separators}`]: `text ${separators}`, list: [separators, `\\${separators}`] };
  // As a sender may write it: only what JSON requires is escaped.
  const raw = JSON.stringify(payload);
  expect(raw).toContain('\u2028');
  const body = `{"kind":"updated","occurredAt":"2026-01-01T00:00:00Z","payload":${raw}}`;
  const accepted = await fetch(await service.issueHookUrl(), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  expect(accepted.status).toBe(202);
  const text = await readText(`${url}?lastEventId=earliest`, (read) =>
    /\nevent: widget\.updated\n[^\n]*\n\n/.test(read),
  );
  for (const part of text.split(pythonLines)) expect(part).toMatch(line);
  const [, data = ''] = /\nevent: widget\.updated\ndata: ([^\n]*)\n\n/.exec(text) ?? [];
  expect(JSON.parse(data).data.payload).toEqual(payload);
});

test('a requested position with line separators comes back in one line', async () => {
  const { url } = await service.issueStreamUrl();
  const requested = 'x\u0085y\u2028z\u2029';
  const isOpen = (read: string) => /event: stream\.open\n.*\n\n/s.test(read);
  const byQuery = await readText(`${url}?lastEventId=${encodeURIComponent(requested)}`, isOpen);
  const byHeader = await readText(url, isOpen, { 'last-event-id': 'x\u0085y' });
  for (const text of [byQuery, byHeader]) {
    expect(text).toContain('event: stream.gap');
    for (const part of text.split(pythonLines)) expect(part).toMatch(line);
  }
  expect(JSON.parse(/stream\.gap\ndata: (.*)/.exec(byQuery)?.[1] ?? '').requested).toBe(requested);
});
