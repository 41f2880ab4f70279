import { Agent, request } from 'node:http';
import type { TestResponse } from '../../drivers/app/test-app.ts';

interface SentRequest {
  readonly method: string;
  /** Sent as it is, without normalization. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Buffer;
}

export interface HttpSender {
  send(sent: SentRequest): Promise<TestResponse>;
  close(): void;
}

/** Sends requests to a listening service over keep-alive connections. */
export function createHttpSender(baseUrl: string): HttpSender {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const { hostname, port } = new URL(baseUrl);
  return {
    send: ({ method, path, headers = {}, body }) =>
      new Promise((resolve, reject) => {
        const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
        const clientRequest = request(
          { agent, hostname, port, method, path, headers: { ...length, ...headers } },
          (response) => {
            const chunks: Buffer[] = [];
            response.on('data', (chunk: Buffer) => chunks.push(chunk));
            response.once('error', reject);
            response.once('end', () => {
              const text = Buffer.concat(chunks).toString();
              resolve({
                statusCode: response.statusCode ?? 0,
                headers: response.headers,
                body: text,
                json: () => JSON.parse(text),
              });
            });
          },
        );
        clientRequest.once('error', reject);
        clientRequest.end(body);
      }),
    close: () => agent.destroy(),
  };
}
