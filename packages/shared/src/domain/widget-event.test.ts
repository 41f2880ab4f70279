import { describe, expect, test } from 'vitest';
import type { Delivery } from './delivery.ts';
import { applyHooks } from './effect.ts';
import { buildWidget } from './widget.ts';
import { readReceivedAtMs, toEventWithoutWidget, toWidgetEvent } from './widget-event.ts';

const widget = buildWidget(
  {
    name: 'A "quoted"\u2028 name',
    state: 'active',
    labels: ['red'],
    owner: { userId: '0b7e3c5a-0000-4000-8000-000000000001', email: 'owner@example.com', notify: true },
  },
  '01900000-0000-7000-8000-000000000000',
  new Date('2026-01-01T00:00:00.000Z'),
);
const delivery: Delivery = {
  eventId: '00000000-0000-8000-8000-000000000001',
  integrationId: '01900000-0000-7000-8000-00000000000a',
  kind: 'retired',
  occurredAt: '2026-01-02T00:00:00.5+00:00',
  receivedAt: new Date('2026-01-02T00:00:01.000Z'),
  widgetId: widget.id,
  payload: '{"amount": 1.10, "big": 12345678901234567890}',
  redrive: false,
};

describe('toWidgetEvent', () => {
  const effect = applyHooks(widget, [delivery]);
  const event = toWidgetEvent(effect.widget, effect.entries[0]!);

  test('returns one CloudEvents object with the widget right after the hook', () => {
    expect(JSON.parse(event.json)).toEqual({
      specversion: '1.0',
      id: delivery.eventId,
      source: `/api/v1/integrations/${delivery.integrationId}`,
      type: 'widget.retired',
      subject: widget.id,
      time: '2026-01-02T00:00:00.5+00:00',
      datacontenttype: 'application/json',
      data: {
        origin: 'hook',
        receivedAt: '2026-01-02T00:00:01.000Z',
        late: false,
        stateChanged: true,
        widget: {
          id: widget.id,
          name: widget.name,
          state: 'retired',
          labels: ['red'],
          owner: { userId: '0b7e3c5a-0000-4000-8000-000000000001', notify: true },
          createdAt: '2026-01-01T00:00:00.000Z',
          updatedAt: '2026-01-02T00:00:01.000Z',
          retiredAt: '2026-01-02T00:00:00.500Z',
          lastEventAt: '2026-01-02T00:00:00.500Z',
          version: 2,
        },
        payload: JSON.parse(delivery.payload ?? ''),
      },
    });
  });

  test('contains the payload’s own text, and not the owner’s e-mail', () => {
    expect(event.json).toContain('"payload":{"amount": 1.10, "big": 12345678901234567890}');
    expect(event.json).not.toContain('owner@example.com');
  });
});

describe('toEventWithoutWidget', () => {
  test('keeps the widget id that was sent, and has no widget', () => {
    const parsed = JSON.parse(toEventWithoutWidget(delivery).json);
    expect(parsed.subject).toBe(widget.id);
    expect(parsed.data).toMatchObject({ origin: 'hook', late: false, stateChanged: false, widget: null });
  });

  test('omits `subject` if the hook named no widget', () => {
    expect(JSON.parse(toEventWithoutWidget({ ...delivery, widgetId: null }).json)).not.toHaveProperty('subject');
  });
});

describe('readReceivedAtMs', () => {
  const payload = '{"receivedAt":"2001-01-01T00:00:00.000Z"}';

  test('reads when the service received the hook, also if the payload has a member of that name', () => {
    const { entries, widget: changed } = applyHooks(widget, [{ ...delivery, payload }]);
    expect(readReceivedAtMs(toWidgetEvent(changed, entries[0]!))).toBe(delivery.receivedAt.getTime());
    expect(readReceivedAtMs(toEventWithoutWidget({ ...delivery, payload }))).toBe(delivery.receivedAt.getTime());
  });

  test('returns null for an event of another form', () => {
    expect(readReceivedAtMs({ json: '{"data":{}}' })).toBeNull();
    expect(readReceivedAtMs({ json: '{"data":{"receivedAt":"yesterday"}}' })).toBeNull();
  });
});
