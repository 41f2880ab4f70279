import type { WidgetEvent } from '@widget-service/shared/domain/widget-event.ts';
import { describe, expect, test } from 'vitest';
import { type StreamEntry, toEntryFields, toEntryId, toLogRecord } from './log-entry.ts';

const withWidget: WidgetEvent = {
  eventId: '0197b3a0-0000-8000-8000-000000000001',
  type: 'widget.retired',
  widgetId: '0197b3a0-0000-7000-8000-000000000002',
  state: 'retired',
  stateBefore: 'active',
  labels: ['a "quoted" one', 'ü'],
  json: '{"specversion":"1.0"}',
};
const withoutWidget: WidgetEvent = { ...withWidget, widgetId: null, state: null, stateBefore: null, labels: null };

describe('toLogRecord', () => {
  test.each([
    ['with a widget', withWidget],
    ['without a widget', withoutWidget],
    ['of a sampled trace', { ...withWidget, traceContext: '4bf92f3577b34da6a3ce929d0e0e473600f067aa0ba902b7' }],
    ['of a creation', { ...withWidget, stateBefore: null, labels: [] }],
  ])('returns the event that toEntryFields was given: %s', (_, event) => {
    const position = {
      epoch: 'k3f9',
      ms: 1_764_000_000_000,
      seq: 9_007_199_254_740_991,
      previousMs: 1_763_999_999_999,
    };
    const fieldsOfScript = ['e', position.epoch, 'p', `${position.previousMs}`];
    const entry: StreamEntry = [toEntryId(position), [...fieldsOfScript, ...toEntryFields(event)]];
    expect(toLogRecord(entry)).toEqual({ ...position, event });
  });

  test('uses the entry\'s own milliseconds as previousMs when the field "p" is missing', () => {
    const entry: StreamEntry = ['1764000000000-7', ['e', 'k3f9', ...toEntryFields(withWidget)]];
    expect(toLogRecord(entry)).toEqual({
      epoch: 'k3f9',
      ms: 1_764_000_000_000,
      seq: 7,
      previousMs: 1_764_000_000_000,
      event: withWidget,
    });
  });
});

describe('toLogRecord of an entry of a newer version', () => {
  test('ignores fields that it does not know, and returns an unknown type as it is', () => {
    const fields = toEntryFields(withWidget).map((text) => (text === 'widget.retired' ? 'widget.sold' : text));
    const entry: StreamEntry = ['1764000000000-7', ['e', 'k3f9', 'z', 'unknown', ...fields]];
    expect(toLogRecord(entry).event).toEqual({ ...withWidget, type: 'widget.sold' });
  });
});

describe('toEntryFields', () => {
  test('omits members that are null', () => {
    expect(toEntryFields(withoutWidget)).toEqual([
      'i',
      withoutWidget.eventId,
      't',
      'widget.retired',
      'd',
      '{"specversion":"1.0"}',
    ]);
  });
});
