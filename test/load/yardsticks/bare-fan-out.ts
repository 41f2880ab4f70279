/**
 * The yard-stick for streams: the smallest Node server that sends each published body to each open stream. It joins
 * what is published in one event-loop turn to one write per stream. It stores nothing and checks nothing.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveCommands } from '../drivers/child.ts';

export type BareFanOutCommands = {
  listen: [null, { streamUrl: string; publishUrl: string }];
};

const streams = new Set<ServerResponse>();
let published: Buffer[] = [];

function sendAll(): void {
  const joined = Buffer.concat(published);
  published = [];
  for (const stream of streams) stream.write(joined);
}

const server = createServer((request, response) => {
  if (request.method === 'POST') {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (published.length === 0) setImmediate(sendAll);
      published.push(...chunks);
      response.writeHead(202).end();
    });
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  response.write(': open\n\n');
  streams.add(response);
  request.on('close', () => streams.delete(response));
});

serveCommands<BareFanOutCommands>({
  listen: () =>
    new Promise((resolve) => {
      server.listen({ host: '127.0.0.1', port: 0, backlog: 4_096 }, () => {
        const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
        resolve({ streamUrl: `${url}/stream`, publishUrl: `${url}/publish` });
      });
    }),
});
