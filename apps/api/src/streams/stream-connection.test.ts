import { once } from 'node:events';
import { connect } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { anEntitlement } from './fan-out/testing/fake-hub.ts';
import { exchange, listen, makeGet, readText } from './testing/stream-server.ts';

/** Until `check` does not throw, for at most 10 s. */
const waitUntil = (check: () => void) => vi.waitFor(check, { timeout: 10_000, interval: 5 });

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

describe('the connection of an open stream', () => {
  test('keeps neither the request nor the response in memory', async () => {
    const { app, hub, port } = await listen({});
    const references: WeakRef<object>[] = [];
    app.server.prependListener('request', (request, response) => {
      references.push(new WeakRef(request), new WeakRef(response));
    });
    const client = connect(port, '127.0.0.1', () => client.write(makeGet('/api/v1/events/token')));
    onTestFinished(() => void client.destroy());
    await once(client, 'data');
    await waitUntil(() => expect(hub.size()).toBe(1));
    await waitUntil(() => {
      collectGarbage();
      expect(references.map((reference) => reference.deref() === undefined)).toEqual([true, true]);
    });
  });

  test('stays open, whatever the client sends on it', async () => {
    const { hub, port } = await listen({});
    const client = connect(port, '127.0.0.1', () => client.write(makeGet('/api/v1/events/token')));
    const received = readText(client);
    await waitUntil(() => expect(hub.size()).toBe(1));
    client.write(`nonsense\r\n\r\n${makeGet('/late')}`);
    await exchange(port, makeGet('/late', 'Connection: close\r\n'));
    hub.close();
    const text = await received;
    expect(text).toContain('event: stream.closing');
    expect(text.split('HTTP/1.1')).toHaveLength(2);
  });

  test('closes if the client has pipelined another request behind the stream', async () => {
    const { hub, admit, port } = await listen({});
    await exchange(port, makeGet('/api/v1/events/token') + makeGet('/never'));
    await waitUntil(() => expect(hub.size()).toBe(0));
    expect(admit(anEntitlement().holder).status).toBe('admitted');
  });

  test('closes if the client closes its half', async () => {
    const { hub, port } = await listen({});
    const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () =>
      client.write(makeGet('/api/v1/events/token')),
    );
    const received = readText(client);
    await waitUntil(() => expect(hub.size()).toBe(1));
    client.end();
    await received;
    await waitUntil(() => expect(hub.size()).toBe(0));
  });
});
