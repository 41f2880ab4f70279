import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll } from 'vitest';
import { listenLocally } from './local-server.ts';

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A server that answers as a test wants, and remembers what it was asked. */
export interface AnsweringServer {
  readonly url: string;
  readonly requests: readonly ReceivedRequest[];
}

/** Starts a server on a free port of this machine. It closes after the tests of the calling file or suite. */
export async function openAnsweringServer(
  answer: (request: ReceivedRequest, response: ServerResponse) => unknown,
): Promise<AnsweringServer> {
  const requests: ReceivedRequest[] = [];
  const { url, close } = await listenLocally(async (incoming, response) => {
    const { method = '', url: path = '', headers } = incoming;
    const request = { method, path, headers, body: await text(incoming) };
    requests.push(request);
    await answer(request, response);
  });
  afterAll(close);
  return { url, requests };
}
