import { describe, expect, it } from 'vitest';
import { deriveEventId, toContentKey } from './event-id.ts';
import type { HookEvent } from './hook-event.ts';

const event: HookEvent = {
  kind: 'updated',
  occurredAt: '2026-01-01T00:00:00Z',
  widgetId: null,
  payload: '{"a":1,"b":[2]}',
};

describe('contentKey', () => {
  it('is the same for payloads that differ in white space, order of members and form of numbers', () => {
    expect(toContentKey({ ...event, payload: '{ "b": [2.0], "a": 1e0 }' })).toEqual(toContentKey(event));
  });

  it('differs when kind, time, widget or payload differs', () => {
    const others: HookEvent[] = [
      { ...event, kind: 'created' },
      { ...event, occurredAt: '2026-01-01T00:00:00.000Z' },
      { ...event, widgetId: '01900000-0000-7000-8000-000000000000' },
      { ...event, payload: '{"a":1,"b":[3]}' },
      { ...event, payload: null, widgetId: '01900000-0000-7000-8000-000000000000' },
    ];
    const keys = [event, ...others].map((each) => toContentKey(each)?.value);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('takes numbers that no double holds', () => {
    expect(toContentKey({ ...event, payload: '{"a":1e400}' })).not.toEqual(
      toContentKey({ ...event, payload: '{"a":1e401}' }),
    );
  });

  it('is none for a hook that says nothing but kind and time', () => {
    expect(toContentKey({ ...event, payload: null })).toBeNull();
  });
});

describe('deriveEventId', () => {
  it('is a UUIDv8, the same for the same integration, kind of key and value only', () => {
    const id = deriveEventId('i1', { kind: 'webhook-id', value: 'msg_1' });
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(deriveEventId('i1', { kind: 'webhook-id', value: 'msg_1' })).toBe(id);
    expect(deriveEventId('i2', { kind: 'webhook-id', value: 'msg_1' })).not.toBe(id);
    expect(deriveEventId('i1', { kind: 'idempotency-key', value: 'msg_1' })).not.toBe(id);
  });
});
