import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { noFilter } from '@widget-service/shared/domain/event-filter.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../tools/eventually.ts';
import { createEventInterner } from './event-interner.ts';
import { openEventSource, type RecordingEventSource } from './event-source.ts';

let server: Server;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
/** The `Last-Event-ID` header of each request, in order. */
let lastEventIds: (string | null)[];
let source: RecordingEventSource;

beforeEach(async () => {
  lastEventIds = [];
  server = createServer((request, response) => {
    lastEventIds.push(request.headers['last-event-id']?.toString() ?? null);
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

function open(): RecordingEventSource {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  source = openEventSource({
    name: 'one',
    subscriptionId: 'any',
    filter: noFilter,
    url,
    internEvent: createEventInterner(),
  });
  return source;
}

const formatBlock = (seq: number) => {
  const data = {
    id: `event-${seq}`,
    type: 'widget.updated',
    data: { origin: 'hook', stateChanged: false, widget: null },
  };
  return `id: e1.5.${seq}\nevent: widget.updated\ndata: ${JSON.stringify(data)}\n\n`;
};
const opening = 'id: e1.4.0\nevent: stream.open\ndata: {"resumed":false}\nretry: 20\n\n';

test('parses blocks that arrive in single bytes, and drops a block that the end of the stream cuts off', async () => {
  answer = (_, response) => {
    const text = `${opening}: a comment\n\n${formatBlock(1)}${formatBlock(2).slice(0, -1)}`;
    for (const character of text) response.write(character);
    if (lastEventIds.length === 1) response.end();
  };
  const { recorded } = open();
  await eventually(async () => recorded.connections.length === 2, 'it reconnects');
  const [first] = recorded.connections;
  expect(first?.blocks).toMatchObject([
    { type: 'message', name: 'stream.open', position: 'e1.4.0', data: { resumed: false } },
    { type: 'event', position: 'e1.5.1', epoch: 'e1', seq: 1, event: { id: 'event-1' } },
  ]);
  expect(first?.endedAtMs).not.toBeNull();
  expect(lastEventIds).toEqual([null, 'e1.5.1']);
});

test('reconnects with its last event id after the stream ends and after the connection breaks', async () => {
  answer = (request, response) => {
    if (lastEventIds.length === 2) request.socket.destroy();
    else if (lastEventIds.length === 1) response.end(opening + formatBlock(7));
    else response.write(opening);
  };
  open();
  await eventually(async () => lastEventIds.length === 3, 'it reconnects twice');
  expect(lastEventIds).toEqual([null, 'e1.5.7', 'e1.5.7']);
});

test('stays closed after any status other than 200', async () => {
  answer = (_, response) => void response.writeHead(503, { 'x-request-id': 'any' }).end();
  const { recorded } = open();
  await eventually(async () => recorded.closedBy !== null, 'it is closed');
  expect(recorded.closedBy).toEqual({ status: 503, isOurs: true });
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(lastEventIds).toHaveLength(1);
});
