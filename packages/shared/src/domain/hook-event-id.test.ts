import { describe, expect, test } from 'vitest';
import type { HookBody } from './delivery.ts';
import { deriveEventId, toContentKey } from './hook-event-id.ts';

const event: HookBody = {
  kind: 'updated',
  occurredAt: '2026-01-01T00:00:00Z',
  widgetId: null,
  payload: '{"a":1,"b":[2]}',
};

describe('toContentKey', () => {
  test('returns the same key for payloads that differ only in white space, member order and number format', () => {
    expect(toContentKey({ ...event, payload: '{ "b": [2.0], "a": 1e0 }' })).toEqual(toContentKey(event));
  });

  test('returns another key when kind, time, widget or payload differs', () => {
    const others: HookBody[] = [
      { ...event, kind: 'created' },
      { ...event, occurredAt: '2026-01-01T00:00:00.000Z' },
      { ...event, widgetId: '01900000-0000-7000-8000-000000000000' },
      { ...event, payload: '{"a":1,"b":[3]}' },
      { ...event, payload: null, widgetId: '01900000-0000-7000-8000-000000000000' },
    ];
    const keys = [event, ...others].map((hookEvent) => toContentKey(hookEvent)?.value);
    expect(new Set(keys).size).toBe(keys.length);
  });

  test.each([
    ['1e400', '1e401'],
    ['9007199254740993', '9007199254740992'],
    ['1310000000000000001', '1310000000000000002'],
    ['12345678901234567890', '12345678901234567891'],
    ['0.10000000000000001', '0.1'],
  ])('distinguishes %s and %s, which JavaScript cannot', (one, other) => {
    const [first, second] = [one, other].map((id) => toContentKey({ ...event, payload: `{"id":${id}}` })?.value);
    expect(first).not.toBe(second);
  });

  test('returns null for a hook without a widget and payload', () => {
    expect(toContentKey({ ...event, payload: null })).toBeNull();
  });
});

describe('deriveEventId', () => {
  test('returns a UUIDv8 that depends on integration, kind of key and value', () => {
    const id = deriveEventId('i1', { kind: 'webhook-id', value: 'msg_1' });
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(deriveEventId('i1', { kind: 'webhook-id', value: 'msg_1' })).toBe(id);
    expect(deriveEventId('i2', { kind: 'webhook-id', value: 'msg_1' })).not.toBe(id);
    expect(deriveEventId('i1', { kind: 'idempotency-key', value: 'msg_1' })).not.toBe(id);
  });
});
