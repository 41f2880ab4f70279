import type { ServerResponse } from 'node:http';
import { expect } from 'vitest';
import type { OpenApiDocument } from '../drivers/app/openapi-document.ts';
import type { ReceivedRequest } from '../drivers/tools/answering-server.ts';

/** Clears the screen, sets the title, reorders a line, begins a line: in C0, C1 and Unicode. */
export const hostile =
  'x\u001b[2J\u001b]0;t\u0007\u009b2J\u009d0;t\u009c\u007f\u0085\u2028\u2029\u202e\u2066\u061c\ud800\b\r\nforged\t\u0000';
const controls = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

/** Asserts that nothing of it moves the cursor, begins a line of its own, or is a stack. */
export function expectPrintable(printed: string): void {
  for (const line of printed.split(/\r?\n/)) {
    expect(line).not.toMatch(controls);
    expect(line).not.toMatch(/^forged|TypeError|\bat .*\.[jt]s:\d/);
  }
}

/** Answers as the service would, but with hostile text wherever there is text. */
export function answerHostile(
  document: OpenApiDocument,
  { method, path }: Pick<ReceivedRequest, 'method' | 'path'>,
  response: ServerResponse,
): unknown {
  const { pathname } = new URL(path, 'http://x');
  if (pathname.endsWith('/session/stream')) return answerStream(response);
  if (pathname.includes('/events/hooks/'))
    return response.writeHead(202, { 'webhook-event-id': 'x\u009b2J\u0085' }).end();
  const operation = Object.entries(document.paths).find(([template]) =>
    new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(pathname),
  )?.[1][method.toLowerCase()];
  const [status = '', { content } = {}] =
    Object.entries(operation?.responses ?? {}).find(([code]) => code.startsWith('2')) ?? [];
  const example = content?.['application/json']?.example as object | undefined;
  if (example === undefined) return response.writeHead(Number(status)).end();
  const body = { ...poison(example), ...('csrfToken' in example && { csrfToken: 'token' }) };
  return response.writeHead(Number(status), { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** A list has no further page then. */
function poison<Value>(value: Value): Value {
  const poisoned = (): unknown => {
    if (typeof value === 'string') return hostile;
    if (typeof value === 'boolean') return false;
    if (Array.isArray(value)) return value.map(poison);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, poison(member)]));
  };
  return poisoned() as Value;
}

function answerStream(response: ServerResponse): void {
  const block = (name: string, data: object, id: string | null) =>
    `event: ${name}\n${id === null ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
  const widget = { id: hostile, name: hostile, state: 'active', labels: [hostile], owner: null, version: 1 };
  const data = { widget, payload: { [hostile]: hostile }, origin: 'hook', late: true };
  const event = { specversion: '1.0', id: hostile, source: hostile, time: hostile, subject: hostile, data };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(
    block('stream.open', { subscriptionId: null, cursor: 'p1', resumed: false, heartbeatSeconds: 15 }, 'p1') +
      block('stream.gap', { reason: hostile, requested: hostile, resumedFrom: hostile }, 'p2\u009b2J') +
      block('widget.updated', event, 'p3\u009b2J\u202e') +
      block('stream.closing', { reason: 'revoked' }, null),
  );
}
