import { appendFileSync, readFileSync, readlinkSync } from 'node:fs';
import { symlink, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { openAnsweringServer, type ReceivedRequest } from '../../drivers/tools/answering-server.ts';
import { eventually } from '../../drivers/tools/eventually.ts';
import { makeSharedFolder } from '../../drivers/tools/shared-folder.ts';
import { startStopwatch } from '../../drivers/tools/stopwatch.ts';
import { Widgetctl } from '../../drivers/tools/widgetctl.ts';

const accept = (_request: ReceivedRequest, response: ServerResponse) =>
  response.writeHead(202, { 'webhook-event-id': 'e1' }).end();

const folder = await makeSharedFolder();
const server = await openAnsweringServer(accept);
/** Accepts connections and answers nothing. */
const silent = await openAnsweringServer(() => undefined);
const widgetctl = new Widgetctl({ folder, url: server.url });
afterAll(async () => {
  await server.close();
  await silent.close();
});

const hook = (payload: object = {}) =>
  JSON.stringify({ kind: 'updated', occurredAt: '2026-01-01T00:00:00Z', widgetId: 'w', payload });

async function replay(content: string | Buffer, to = server) {
  const file = join(folder, `hooks-${Math.random()}.jsonl`);
  await writeFile(file, content);
  const before = to.requests.length;
  const args = ['hooks', 'replay', file, '--to', `${to.url}/api/v1/events/hooks/x`];
  return { file, args, sent: () => to.requests.slice(before) };
}

describe('a long file', () => {
  test('is sent from its beginning at once, and Ctrl-C ends it at once', async () => {
    const lines = Array.from({ length: 50_000 }, (_, index) => hook({ index }));
    const accepting = await openAnsweringServer(accept);
    const { args, sent } = await replay(`${lines.join('\n')}\n`, accepting);
    const command = widgetctl.start(args);
    // With the start of the process, on a busy machine. Reading the whole file first took longer than half a minute.
    await eventually(async () => sent().length > 0, 'the first hook is sent');
    await eventually(async () => sent().length > 100, 'the others follow');
    const interruptedMs = startStopwatch();
    command.kill('SIGINT');
    expect((await command.finished).code).toBe(130);
    expect(interruptedMs()).toBeLessThan(5_000);
    // One after the other, in the order of the file.
    expect(sent().map(({ body }) => JSON.parse(body).payload.index)).toEqual(sent().map((_, index) => index));
    await accepting.close();
  });

  test.runIf(process.platform === 'linux')('is never in memory as a whole', async () => {
    const { file, args } = await replay('', silent);
    const block = `${hook({ text: 'x'.repeat(10_000) })}\n`.repeat(1_000);
    for (let written = 0; written < 300 * 1024 * 1024; written += block.length) appendFileSync(file, block);
    const running = widgetctl.start(args);
    await eventually(async () => silent.requests.length > 0, 'the first hook is sent');
    const peakKb = Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${running.pid}/status`, 'utf8'))?.[1]);
    running.kill('SIGINT');
    await running.finished;
    expect(peakKb).toBeLessThan(250 * 1024);
  });
});

describe('a file', () => {
  const content = `${hook({ a: 'ä' })}\n${hook({ a: '中' })}\n`;

  test('of another system is sent as every other, with the same ids', async () => {
    const sent = [];
    for (const bytes of [content, Buffer.from(`\ufeff${content.replaceAll('\n', '\r\n')}\0`, 'utf16le')]) {
      const hooks = await replay(bytes);
      expect((await widgetctl.run(hooks.args)).code).toBe(0);
      sent.push(hooks.sent().map(({ body, headers }) => `${headers['webhook-id']} ${body}`));
    }
    expect(sent[0]).toHaveLength(2);
    expect(sent[1]).toEqual(sent[0]);
  });

  test.each([
    ['in UTF-16 without a byte order mark', Buffer.from(hook(), 'utf16le'), 'line 1: it holds a NUL character'],
    ['that is no JSON in one line', Buffer.from(`${hook()}\n{"kind":\n`), 'line 2: it is not a JSON object'],
  ])('%s ends with 2, and the file and the line are named', async (_name, bytes, reason) => {
    const { file, args } = await replay(bytes);
    const { code, notes } = await widgetctl.run(args);
    expect(code).toBe(2);
    expect(notes).toContain(`${file}, ${reason}`);
  });
});

describe('a payload of a file', () => {
  test.each([
    ['of Windows', Buffer.from('\ufeff{\r\n  "a": "ä"\r\n}\r\n')],
    ['with a NUL at its end', Buffer.from('{"a":"ä"}\0')],
  ])('%s is sent, also from the standard input', async (_name, bytes) => {
    const file = join(folder, 'payload.json');
    await writeFile(file, bytes);
    for (const payload of [`@${file}`, '-']) {
      const args = ['hooks', 'send', '--payload', payload, '--to', `${server.url}/x`];
      expect((await widgetctl.run(args, {}, bytes)).code).toBe(0);
      expect(JSON.parse(server.requests.at(-1)?.body ?? '').payload).toEqual({ a: 'ä' });
    }
  });

  test('that cannot be read is named, and nothing is sent', async () => {
    const before = server.requests.length;
    for (const [file, reason] of [
      [join(folder, 'absent'), 'no such file or directory'],
      [folder, 'illegal operation on a directory'],
    ] as const) {
      const args = ['hooks', 'send', '--payload', `@${file}`, '--to', `${server.url}/x`];
      const { code, notes } = await widgetctl.run(args);
      expect(code).toBe(2);
      expect(notes).toContain(`${file} cannot be read: ${reason}`);
    }
    expect(server.requests.length).toBe(before);
  });
});

describe('a position file', () => {
  const stream = ['tail', '--limit', '1', '--stream'];
  const event = { specversion: '1.0', id: 'e1', source: 's', type: 'widget.updated', time: '', subject: 'w' };
  const data = { widget: null, payload: null, origin: 'hook', late: false };
  const openEventServer = () =>
    openAnsweringServer((_request, response) =>
      response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .write(`event: widget.updated\nid: p2\ndata: ${JSON.stringify({ ...event, data })}\n\n`),
    );

  test('that is a symbolic link keeps being one, and is read as Windows writes it', async () => {
    const events = await openEventServer();
    const target = join(folder, 'target');
    const link = join(folder, 'link');
    await writeFile(target, Buffer.from('\ufeffp1\r\n', 'utf16le'));
    await symlink('target', link);
    expect((await widgetctl.run([...stream, `${events.url}/x`, '--position', link])).code).toBe(0);
    expect(events.requests[0]?.path).toContain('lastEventId=p1');
    expect([readlinkSync(link), readFileSync(target, 'utf8')]).toEqual(['target', 'p2\n']);
    await events.close();
  });

  test.each([
    ['two words', 'p1 p2\n'],
    ['no text', Buffer.from('p1\n\xff\xfe', 'latin1')],
  ])('with %s is named, and nothing is read', async (_name, content) => {
    const file = join(folder, 'no-position');
    await writeFile(file, content);
    const { code, notes } = await widgetctl.run([...stream, `${server.url}/x`, '--position', file]);
    expect(code).toBe(2);
    expect(notes).toContain(`${file}, line `);
  });
});
