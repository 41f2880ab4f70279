import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { noFilter } from '@widget-service/shared/domain/event-filter.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type FaultEventSource, openEventSource } from './event-source.ts';
import { eventually } from './eventually.ts';
import { createSeenEvents } from './seen-events.ts';

let server: Server;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let asked: (string | null)[];
let source: FaultEventSource;

beforeEach(async () => {
  asked = [];
  server = createServer((request, response) => {
    asked.push(request.headers['last-event-id']?.toString() ?? null);
    answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  source.close();
  server.closeAllConnections();
  server.close();
});

function open(): FaultEventSource {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  source = openEventSource({ name: 'one', subscriptionId: 'any', filter: noFilter, url, seen: createSeenEvents() });
  return source;
}

const blockOf = (seq: number) => {
  const data = {
    id: `event-${seq}`,
    type: 'widget.updated',
    data: { origin: 'hook', stateChanged: false, widget: null },
  };
  return `id: e1.5.${seq}\nevent: widget.updated\ndata: ${JSON.stringify(data)}\n\n`;
};
const opening = 'id: e1.4.0\nevent: stream.open\ndata: {"resumed":false}\nretry: 20\n\n';

test('reads blocks however they are cut, and drops what an end leaves unfinished', async () => {
  answer = (_, response) => {
    const text = `${opening}: a comment\n\n${blockOf(1)}${blockOf(2).slice(0, -1)}`;
    for (const character of text) response.write(character);
    if (asked.length === 1) response.end();
  };
  const { recorded } = open();
  await eventually(async () => recorded.connections.length === 2, 'it came back');
  const [first] = recorded.connections;
  expect(first?.blocks).toMatchObject([
    { type: 'message', name: 'stream.open', position: 'e1.4.0', data: { resumed: false } },
    { type: 'event', position: 'e1.5.1', epoch: 'e1', seq: 1, event: { id: 'event-1' } },
  ]);
  expect(first?.endedAtMs).not.toBeNull();
  expect(asked).toEqual([null, 'e1.5.1']);
});

test('comes back after an end and after a connection that is broken off, by the last id it has', async () => {
  answer = (request, response) => {
    if (asked.length === 2) request.socket.destroy();
    else if (asked.length === 1) response.end(opening + blockOf(7));
    else response.write(opening);
  };
  open();
  await eventually(async () => asked.length === 3, 'it came back twice');
  expect(asked).toEqual([null, 'e1.5.7', 'e1.5.7']);
});

test('is CLOSED by any status but 200', async () => {
  answer = (_, response) => void response.writeHead(503, { 'x-request-id': 'any' }).end();
  const { recorded } = open();
  await eventually(async () => recorded.closedBy !== null, 'it is closed');
  expect(recorded.closedBy).toEqual({ status: 503, isOurs: true });
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(asked).toHaveLength(1);
});
