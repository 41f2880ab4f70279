import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** Milliseconds of `performance.now()`. */
  readonly at: number;
}

/** A server that answers as a test wants, and remembers what it was asked. */
export interface AnsweringServer {
  readonly url: string;
  readonly requests: readonly ReceivedRequest[];
  close(): Promise<void>;
}

/** Starts a server on a free port of this machine. */
export async function openAnsweringServer(
  answer: (request: ReceivedRequest, response: ServerResponse, server: AnsweringServer) => unknown,
): Promise<AnsweringServer> {
  const requests: ReceivedRequest[] = [];
  const http = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const { method = '', url: path = '', headers } = incoming;
    const body = Buffer.concat(chunks).toString('utf8');
    const request = { method, path, headers, body, at: performance.now() };
    requests.push(request);
    await answer(request, response, server);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const server: AnsweringServer = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };
  return server;
}
