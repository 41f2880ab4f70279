import { connect } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { openSharedService } from '../drivers/app/open-shared.ts';
import { signInThroughPorts } from '../drivers/app/test-app.ts';

/**
 * A sender writes what could end a line or an event of the stream into everything that it can name. The stream is read
 * as bytes: each line must be one that the service writes itself.
 */
const service = await openSharedService();
const admin = await signInThroughPorts(service.backend, 'admin');
const hookUrl = await service.issueHookUrl();
const stream = openRawStream((await service.issueStreamUrl()).url);
await waitFor(() => stream.text().includes('stream.open'));
afterAll(() => stream.socket.destroy());

/** By HTTP/1.0, so that the body has no chunks. */
function openRawStream(url: string, headers = '') {
  const { port, pathname, search } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  let text = '';
  socket.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  socket.on('error', () => undefined);
  socket.write(`GET ${pathname}${search} HTTP/1.0\r\nHost: localhost\r\n${headers}\r\n`);
  return { socket, text: () => text.slice(text.indexOf('\r\n\r\n') + 4) };
}

async function waitFor(condition: () => boolean): Promise<void> {
  const until = performance.now() + 15_000;
  while (!condition()) {
    if (performance.now() > until) throw new Error(`not on the stream: ${stream.text().slice(-500)}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** What a client of the stream takes for the end of a line, in every form in which a body can hold it. */
const breaks = [
  '\r\n',
  '\n',
  '\r',
  '\n\n',
  '\r\r',
  '\r\n\r\n',
  '\u2028',
  '\u2029',
  '\u0085',
  '\v',
  '\f',
  '\u001c',
  '\u001d',
  '\u001e',
  '\u0000',
  '\ufeff',
];
const forged = 'id: forged\nevent: stream.closing\ndata: {"forged":true}\nretry: 1';
const attacks = breaks.map((text) => `x${text}${forged.replaceAll('\n', text)}${text}${text}`);

/** A line of the stream, as `docs/interface.md` describes it. */
const ownLine =
  /^(?:|:.*|id: [0-9a-z]+\.\d+\.\d+|event: (?:stream\.open|stream\.gap|widget\.(?:created|updated|retired))|data: \{.*\}|retry: \d{4,5})$/su;

/** Those of the specification (WHATWG HTML, section 9.2.5), and what else ends a line for Python's `str.splitlines`. */
const lineEnds = '\n\r\v\f\u001c-\u001e\u0085\u2028\u2029';
const lineEnd = new RegExp(`\r\n|[${lineEnds}]`);

function expectOwnLines(text: string): void {
  const lines = text.split(lineEnd);
  expect(lines.filter((line) => !ownLine.test(line))).toEqual([]);
  for (const line of lines.filter((candidate) => candidate.startsWith('data: '))) {
    expect(() => JSON.parse(line.slice(6))).not.toThrow();
  }
  expect(text).not.toMatch(/(?:^|[\r\n])(?:id: forged|retry: 1(?:[\r\n]|$)|event: stream\.closing)/);
}

/** What the events of this type have as their data. */
const listEvents = (text: string, type: string) =>
  [...text.matchAll(/\nevent: (.*)\ndata: (.*)\n\n/g)].flatMap(([, of, data = '']) =>
    of === type ? JSON.parse(data) : [],
  );

const post = (url: string, body: string, headers: Record<string, string> = {}) =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body });

test('payloads with line ends, escaped or between their members, write no line of their own', async () => {
  const occurredAt = '2026-03-01T10:00:00Z';
  const ids: string[] = [];
  const payloads = attacks.map((attack) => ({ [attack]: attack, list: [attack] }));
  for (const payload of payloads) {
    const response = await post(hookUrl, JSON.stringify({ kind: 'updated', occurredAt, payload }));
    expect(response.status).toBe(202);
    ids.push(response.headers.get('webhook-event-id') ?? '');
  }
  // White space between members may be any of these four, and `2028` in a string needs no escape.
  for (const space of ['\r\n', '\n\n', '\r', '\t']) {
    const text = `{"kind":"updated",${space}"occurredAt":"${occurredAt}","payload":${space}{${space}"a${ids.length}"${space}:${space}"\u2028\u2029"${space}}${space}}`;
    const response = await post(hookUrl, text);
    expect(response.status).toBe(202);
    ids.push(response.headers.get('webhook-event-id') ?? '');
  }
  await waitFor(() => ids.every((id) => stream.text().includes(id)));
  expectOwnLines(stream.text());
  expect(listEvents(stream.text(), 'widget.updated').map(({ data }) => data.payload)).toEqual(
    expect.arrayContaining(payloads),
  );
});

test('ids and times that a sender chooses write no line of their own', async () => {
  const times = ['2026-03-01T10:00:00Z\ndata: forged', '2026-03-01T10:00:00.0\r\nZ', '\u2028'];
  for (const occurredAt of times) {
    const response = await post(hookUrl, JSON.stringify({ kind: 'updated', occurredAt }));
    expect(response.status).toBe(400);
  }
  const chosen = ['a\u0085data: forged', 'a\tdata: forged', 'id: forged', '{"forged":1}', `${'i'.repeat(5_000)}`];
  const ids: string[] = [];
  for (const [index, id] of chosen.entries()) {
    const body = JSON.stringify({ kind: 'updated', occurredAt: '2026-03-01T10:00:00Z', payload: { index } });
    const response = await post(hookUrl, body, { 'webhook-id': id });
    expect(response.status).toBe(202);
    ids.push(response.headers.get('webhook-event-id') ?? '');
  }
  await waitFor(() => ids.every((id) => stream.text().includes(id)));
  expectOwnLines(stream.text());
});

test('names and labels of widgets write no line of their own: those with line ends are refused', async () => {
  const create = (name: string) => {
    const headers = { ...admin.headers, 'content-type': 'application/json' };
    const body = JSON.stringify({ name, labels: [name.slice(0, 20)] });
    return fetch(`${service.url}/api/v1/widgets`, { method: 'POST', headers, body });
  };
  for (const attack of attacks) expect((await create(attack)).status).toBe(400);
  const ids: string[] = [];
  for (const name of ['data: forged', 'id: forged', '\\n\\ndata: forged', '{"forged":1}']) {
    const response = await create(name);
    expect(response.status).toBe(201);
    ids.push(((await response.json()) as { id: string }).id);
  }
  await waitFor(() => ids.every((id) => stream.text().includes(id)));
  expectOwnLines(stream.text());
});

test('a position that a reader sends is repeated as JSON', async () => {
  const { url } = await service.issueStreamUrl();
  for (const position of [...attacks, 'x\u2028data: forged', '"}\n\ndata: {"forged":true}']) {
    const opened = openRawStream(`${url}?lastEventId=${encodeURIComponent(position)}`);
    await waitFor(() => opened.text().includes('stream.open') && opened.text().endsWith('\n\n'));
    opened.socket.destroy();
    expectOwnLines(opened.text());
    expect(listEvents(`\n${opened.text()}`, 'stream.gap')).toMatchObject([{ requested: position }]);
  }
  const opened = openRawStream(url, 'Last-Event-ID: a\u0085\u2028data: forged\r\n');
  await waitFor(() => opened.text().includes('stream.open') && opened.text().endsWith('\n\n'));
  opened.socket.destroy();
  expectOwnLines(opened.text());
});
