import type { IncomingMessage, ServerResponse } from 'node:http';
import { type LocalServer, listenLocally } from '../tools/local-server.ts';

/** What the server does with one request. */
export type Answer = (response: ServerResponse, request: IncomingMessage) => void;

export interface ScriptedStreamServer extends LocalServer {
  /** The query of each request so far. */
  readonly requests: URLSearchParams[];
}

/** A server that gives each request the next answer of a script. After the last one it gives that again. */
export async function startScriptedStreamServer(answers: readonly Answer[]): Promise<ScriptedStreamServer> {
  const requests: URLSearchParams[] = [];
  const server = await listenLocally((request, response) => {
    const answer = answers[Math.min(requests.length, answers.length - 1)];
    requests.push(new URL(request.url ?? '', 'http://localhost').searchParams);
    answer?.(response, request);
  });
  return { ...server, url: `${server.url}/api/v1/events/secret`, requests };
}

/** Answers 200 with these blocks. Then it ends the response, breaks the connection, or says no more. */
export function streamOf(
  blocks: readonly string[],
  then: 'end' | 'break' | 'stay' = 'end',
  contentType = 'text/event-stream; charset=utf-8',
): Answer {
  return (response) => {
    response.writeHead(200, { 'content-type': contentType });
    response.write(blocks.join(''), () => {
      if (then === 'end') response.end();
      else if (then === 'break') response.destroy();
    });
  };
}

/** Answers with a problem of the service. */
export function problemOf(status: number, code: string, headers: Record<string, string> = {}): Answer {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/problem+json', ...headers });
    response.end(JSON.stringify({ title: 'A problem', detail: 'It says why.', status, code, requestId: 'r-1' }));
  };
}

export const openBlock = (position: string, members: object = {}): string =>
  block(
    'stream.open',
    { subscriptionId: null, cursor: position, resumed: false, heartbeatSeconds: 15, ...members },
    position,
  );

export const widgetBlock = (id: string, position: string): string =>
  block('widget.updated', { id, type: 'widget.updated', data: { widget: null } }, position);

/** One message. A `retry:` of 100 ms, the least that counts, keeps the tests fast. */
export function block(name: string, data: object, position?: string, retryMs = 100): string {
  const idLine = position === undefined ? '' : `id: ${position}\n`;
  return `${idLine}event: ${name}\ndata: ${JSON.stringify(data)}\nretry: ${retryMs}\n\n`;
}
