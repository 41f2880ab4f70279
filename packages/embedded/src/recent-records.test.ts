import type { LogRecord } from '@widget-service/shared/ports/event-log.ts';
import { expect, test } from 'vitest';
import { RecentRecords } from './recent-records.ts';

const event = {
  eventId: 'e',
  type: 'widget.updated',
  widgetId: null,
  state: null,
  stateBefore: null,
  labels: null,
} as const;

/** Records from `first` to `last`. Each has this JSON. */
function buildRecords(first: number, last: number, json = '{}'): LogRecord[] {
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const seq = first + index;
    return { epoch: 'e', ms: seq, seq, previousMs: seq - 1, event: { ...event, json, traceContext: `context-${seq}` } };
  });
}

const after = (seq: number, epoch = 'e') => ({ epoch, ms: seq, seq });

test('returns the records after a position, with their trace contexts, at most as many as asked for', () => {
  const recent = new RecentRecords();
  const records = buildRecords(1, 5);
  recent.add(records.slice(0, 2));
  recent.add(records.slice(2));
  expect(recent.readAfter(after(0), 100)).toEqual(records);
  expect(recent.readAfter(after(2), 2)).toEqual(records.slice(2, 4));
});

test('returns no record after the newest one, before the oldest one, and in another epoch', () => {
  const recent = new RecentRecords();
  recent.add(buildRecords(10, 12));
  for (const position of [after(12), after(13), after(8), after(10, 'other')]) {
    expect(recent.readAfter(position, 100)).toEqual([]);
  }
});

test('forgets the oldest of more than 1 000 records', () => {
  const recent = new RecentRecords();
  recent.add(buildRecords(1, 1_001));
  expect(recent.readAfter(after(0), 1)).toEqual([]);
  expect(recent.readAfter(after(1), 2_000)).toHaveLength(1_000);
});

test('forgets the oldest records when the JSON of all is longer than 4 MiB', () => {
  const recent = new RecentRecords();
  const json = 'x'.repeat(1_048_576);
  recent.add(buildRecords(1, 5, json));
  expect(recent.readAfter(after(0), 1)).toEqual([]);
  expect(recent.readAfter(after(1), 100)).toHaveLength(4);
});

test('has no records that the log has dropped, before or after they were added', () => {
  const recent = new RecentRecords();
  recent.add(buildRecords(1, 2));
  recent.dropUpTo(3);
  recent.add(buildRecords(3, 5));
  expect(recent.readAfter(after(0), 100)).toEqual([]);
  expect(recent.readAfter(after(2), 100)).toEqual([]);
  expect(recent.readAfter(after(3), 100)).toEqual(buildRecords(4, 5));
});
