import type { QueueItem } from '@widget-service/shared/domain/queue-item.ts';
import type { HookBatch } from '@widget-service/shared/ports/hook-queue.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../../drivers/test-app.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const queued: QueueItem[] = [];
let service: TestApp;
let token: string;
let integrationId: string;
beforeAll(async () => {
  service = await openTestApp({
    // The real queue takes the batch; what it was given is kept to be looked at.
    replace: ({ hookQueue }) => ({
      hookQueue: {
        partitionCount: hookQueue.partitionCount,
        pressure: () => hookQueue.pressure(),
        consume: (handle) => hookQueue.consume(handle),
        enqueue: async (batch: HookBatch) => {
          await hookQueue.enqueue(batch);
          queued.push(...batch.items);
        },
      },
    }),
  });
  ({ token, integrationId } = await service.issueHookToken());
});
afterAll(() => service.close());

const send = (payload: object | string, headers: Record<string, string> = {}, to = token) =>
  service.inject({
    method: 'POST',
    url: `/api/v1/events/hooks/${to}`,
    headers: { 'content-type': 'application/json', ...headers },
    payload,
  });

const deliveryOf = (eventId: unknown) =>
  queued.map((item) => (item.type === 'delivery' ? item.delivery : null)).find((each) => each?.eventId === eventId);

const occurredAt = '2026-03-01T10:00:00Z';

describe('an accepted hook', () => {
  test('may have any name in its payload, and unknown members of any name beside it', async () => {
    const payload = '{"__proto__":{"a":1},"constructor":{"prototype":1}}';
    const response = await send(
      `{"kind":"updated","occurredAt":"${occurredAt}","payload":${payload},"__proto__":{"kind":"x"}}`,
    );
    expect(response.statusCode).toBe(202);
    expect(deliveryOf(response.headers['webhook-event-id'])).toMatchObject({ kind: 'updated', payload });
  });

  test('is answered empty, with its event id, and is queued by then', async () => {
    const response = await send({ kind: 'updated', occurredAt });
    expect(response.statusCode).toBe(202);
    expect(response.body).toBe('');
    expect(response.headers['content-length']).toBe('0');
    const eventId = response.headers['webhook-event-id'];
    expect(eventId).toMatch(uuid);
    expect(deliveryOf(eventId)).toMatchObject({
      kind: 'updated',
      occurredAt,
      widgetId: null,
      payload: null,
      integrationId,
      redrive: false,
    });
  });

  test('carries its payload as the text that was sent, on one line', async () => {
    const response = await send(
      `{"kind":"retired","occurredAt":"2026-03-01T10:00:00.123456+00:00","widgetId":"0197A0B0-0000-7000-8000-00000000ABCD",
        "payload": {"n":1.10,"big":12345678901234567890,\r\n"$where":"1","a.b":{"b":1,"a":2}}, "unknown":[1]}`,
    );
    expect(response.statusCode).toBe(202);
    expect(deliveryOf(response.headers['webhook-event-id'])).toMatchObject({
      occurredAt: '2026-03-01T10:00:00.123456+00:00',
      widgetId: '0197a0b0-0000-7000-8000-00000000abcd',
      payload: '{"n":1.10,"big":12345678901234567890, "$where":"1","a.b":{"b":1,"a":2}}',
    });
  });

  test('null members are absent ones', async () => {
    const response = await send({ kind: 'created', occurredAt, widgetId: null, payload: null });
    expect(deliveryOf(response.headers['webhook-event-id'])).toMatchObject({ widgetId: null, payload: null });
  });

  test('may lie in the future', async () => {
    expect((await send({ kind: 'updated', occurredAt: '2999-01-01T00:00:00Z' })).statusCode).toBe(202);
  });

  test('is logged by its ids, without the token', async () => {
    const response = await send({ kind: 'updated', occurredAt });
    const line = service.logLines
      .map((each) => JSON.parse(each))
      .find(({ eventId }) => eventId === response.headers['webhook-event-id']);
    expect(line).toMatchObject({ msg: 'hook.accepted', integrationId, requestId: response.headers['x-request-id'] });
    expect(service.logLines.join('')).not.toContain(token);
  });
});

describe('a repetition has the same event id', () => {
  const hook = { kind: 'updated', occurredAt, payload: { a: 1, b: 2 } };
  const idOf = async (...args: Parameters<typeof send>) => (await send(...args)).headers['webhook-event-id'];

  test('by webhook-id, before all else', async () => {
    const first = await idOf(hook, { 'webhook-id': 'msg_1', 'idempotency-key': 'a' });
    expect(await idOf({ ...hook, kind: 'retired' }, { 'webhook-id': 'msg_1', 'idempotency-key': 'b' })).toBe(first);
    expect(await idOf(hook, { 'webhook-id': 'msg_2' })).not.toBe(first);
  });

  test('by Idempotency-Key', async () => {
    const first = await idOf(hook, { 'idempotency-key': 'k' });
    expect(await idOf({ ...hook, kind: 'retired' }, { 'idempotency-key': '"k"' })).toBe(first);
  });

  test('by content, whatever its order and layout', async () => {
    const first = await idOf(hook);
    expect(await idOf(`{"payload":{"b":2, "a":1.0},"occurredAt":"${occurredAt}","kind":"updated"}`)).toBe(first);
    expect(await idOf({ ...hook, occurredAt: '2026-03-01T10:00:01Z' })).not.toBe(first);
  });

  test('not by content where the integration says so', async () => {
    const other = await service.issueHookToken(false);
    expect(await idOf(hook, {}, other.token)).not.toBe(await idOf(hook, {}, other.token));
  });
});
