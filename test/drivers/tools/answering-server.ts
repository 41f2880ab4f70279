import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';

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
  const http = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const { method = '', url: path = '', headers } = incoming;
    const request = { method, path, headers, body: Buffer.concat(chunks).toString('utf8') };
    requests.push(request);
    await answer(request, response);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  afterAll(() => {
    http.close();
    http.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, requests };
}
