import type { LogRecord } from '@widget-service/shared/ports/event-log.ts';
import { expect, test } from 'vitest';
import { RecentTraceContexts } from './recent-trace-contexts.ts';

function buildRecord(eventId: string): LogRecord {
  const event = {
    eventId,
    type: 'widget.updated',
    widgetId: null,
    state: null,
    stateBefore: null,
    labels: null,
  } as const;
  return { epoch: 'e', ms: 1, seq: 1, previousMs: 0, event: { ...event, json: '{}' } };
}

test('returns a record with the trace context of its event, and any other record unchanged', () => {
  const contexts = new RecentTraceContexts();
  const [traced, untraced] = [buildRecord('a'), buildRecord('b')];
  contexts.add({ ...traced.event, traceContext: 'context-a' });
  contexts.add(untraced.event);
  expect(contexts.restore(traced)).toEqual({ ...traced, event: { ...traced.event, traceContext: 'context-a' } });
  expect(contexts.restore(untraced)).toBe(untraced);
});

test('forgets the oldest of more than 1 000 events', () => {
  const contexts = new RecentTraceContexts();
  for (let index = 0; index <= 1_000; index += 1) {
    contexts.add({ ...buildRecord(`${index}`).event, traceContext: `context-${index}` });
  }
  expect(contexts.restore(buildRecord('0')).event.traceContext).toBeUndefined();
  expect(contexts.restore(buildRecord('1')).event.traceContext).toBe('context-1');
  expect(contexts.restore(buildRecord('1000')).event.traceContext).toBe('context-1000');
});
