import type { QueueItem } from '@widget-service/shared/domain/queue-item.ts';
import type { HookJob } from '@widget-service/shared/ports/hook-queue.ts';
import { describe, expect, test } from 'vitest';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import { overrideMethod } from '../../drivers/app/override-method.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const queuedItems: QueueItem[] = [];
const service = await openSharedApp({
  // Records every batch that the real queue has stored.
  replace: ({ hookQueue }) => ({
    hookQueue: overrideMethod(hookQueue, 'enqueue', async (batch: HookJob) => {
      await hookQueue.enqueue(batch);
      queuedItems.push(...batch.items);
    }),
  }),
});
const { token, integrationId } = await service.issueHookToken();

const send = (payload: object | string, headers: Record<string, string> = {}, to = token) =>
  service.post(`/api/v1/events/hooks/${to}`, payload, { 'content-type': 'application/json', ...headers });

const findQueuedDelivery = (eventId: unknown) =>
  queuedItems
    .map((item) => (item.type === 'delivery' ? item.delivery : null))
    .find((delivery) => delivery?.eventId === eventId);

const occurredAt = '2026-03-01T10:00:00Z';

describe('POST /api/v1/events/hooks/{token}: an accepted hook', () => {
  test('accepts any member name in the payload, and ignores unknown members beside it', async () => {
    const payload = '{"__proto__":{"a":1},"constructor":{"prototype":1}}';
    const response = await send(
      `{"kind":"updated","occurredAt":"${occurredAt}","payload":${payload},"__proto__":{"kind":"x"}}`,
    );
    expect(response.statusCode).toBe(202);
    expect(findQueuedDelivery(response.headers['webhook-event-id'])).toMatchObject({ kind: 'updated', payload });
  });

  test('returns an empty 202 with the event id after the delivery is queued', async () => {
    const response = await send({ kind: 'updated', occurredAt });
    expect(response.statusCode).toBe(202);
    expect(response.body).toBe('');
    expect(response.headers['content-length']).toBe('0');
    const eventId = response.headers['webhook-event-id'];
    expect(eventId).toMatch(uuid);
    expect(findQueuedDelivery(eventId)).toMatchObject({
      kind: 'updated',
      occurredAt,
      widgetId: null,
      payload: null,
      integrationId,
      redrive: false,
    });
  });

  test('keeps the text of the payload as sent, on a single line', async () => {
    const response = await send(
      `{"kind":"retired","occurredAt":"2026-03-01T10:00:00.123456+00:00","widgetId":"0197A0B0-0000-7000-8000-00000000ABCD",
        "payload": {"n":1.10,"big":12345678901234567890,\r\n"$where":"1","a.b":{"b":1,"a":2}}, "unknown":[1]}`,
    );
    expect(response.statusCode).toBe(202);
    expect(findQueuedDelivery(response.headers['webhook-event-id'])).toMatchObject({
      occurredAt: '2026-03-01T10:00:00.123456+00:00',
      widgetId: '0197a0b0-0000-7000-8000-00000000abcd',
      payload: '{"n":1.10,"big":12345678901234567890, "$where":"1","a.b":{"b":1,"a":2}}',
    });
  });

  test('treats a null member as absent', async () => {
    const response = await send({ kind: 'created', occurredAt, widgetId: null, payload: null });
    expect(findQueuedDelivery(response.headers['webhook-event-id'])).toMatchObject({ widgetId: null, payload: null });
  });

  test('accepts an occurredAt of a clock that is ahead, up to 24 hours', async () => {
    const ahead = new Date(Date.now() + 23 * 3_600_000).toISOString();
    expect((await send({ kind: 'updated', occurredAt: ahead })).statusCode).toBe(202);
  });

  test('logs the ids of the hook, but not the token', async () => {
    const response = await send({ kind: 'updated', occurredAt });
    const line = service.logLines
      .map((logLine) => JSON.parse(logLine))
      .find(({ eventId }) => eventId === response.headers['webhook-event-id']);
    expect(line).toMatchObject({ msg: 'hook.accepted', integrationId, requestId: response.headers['x-request-id'] });
    expect(service.logLines.join('')).not.toContain(token);
  });
});

describe('POST /api/v1/events/hooks/{token}: a repeated hook', () => {
  const hook = { kind: 'updated', occurredAt, payload: { a: 1, b: 2 } };
  const sendForEventId = async (...args: Parameters<typeof send>) => {
    const response = await send(...args);
    expect(response.statusCode).toBe(202);
    return response.headers['webhook-event-id'];
  };

  test('returns the same event id for the same webhook-id, whatever the body and the Idempotency-Key', async () => {
    const first = await sendForEventId(hook, { 'webhook-id': 'msg_1', 'idempotency-key': 'a' });
    expect(await sendForEventId({ ...hook, kind: 'retired' }, { 'webhook-id': 'msg_1', 'idempotency-key': 'b' })).toBe(
      first,
    );
    expect(await sendForEventId(hook, { 'webhook-id': 'msg_2' })).not.toBe(first);
  });

  test('returns the same event id for the same Idempotency-Key', async () => {
    const first = await sendForEventId(hook, { 'idempotency-key': 'k' });
    expect(await sendForEventId({ ...hook, kind: 'retired' }, { 'idempotency-key': '"k"' })).toBe(first);
  });

  test('returns the same event id for the same content, whatever its member order and spacing', async () => {
    const first = await sendForEventId(hook);
    expect(await sendForEventId(`{"payload":{"b":2, "a":1.0},"occurredAt":"${occurredAt}","kind":"updated"}`)).toBe(
      first,
    );
    expect(await sendForEventId({ ...hook, occurredAt: '2026-03-01T10:00:01Z' })).not.toBe(first);
  });

  test('returns different event ids for contents that differ in one digit, however many digits there are', async () => {
    const ids = ['9007199254740993', '9007199254740992', '12345678901234567890', '12345678901234567891', '1e400'];
    const sendNumber = (id: string) =>
      sendForEventId(`{"kind":"updated","occurredAt":"${occurredAt}","payload":{"id":${id}}}`);
    expect(new Set(await Promise.all(ids.map(sendNumber))).size).toBe(ids.length);
    expect(await sendNumber('1234567890123456789.00e1')).toBe(await sendNumber('12345678901234567890'));
  });

  test('returns different event ids for the same content when the integration does not deduplicate by content', async () => {
    const other = await service.issueHookToken(false);
    expect(await sendForEventId(hook, {}, other.token)).not.toBe(await sendForEventId(hook, {}, other.token));
  });
});
