import { expect, test } from 'vitest';
import type { Delivery, HookBody } from '../domain/delivery.ts';
import { UnavailableError } from '../domain/errors.ts';
import type { QueueItem } from '../domain/queue-item.ts';
import type { Span, Tracer } from '../tracing/tracer.ts';
import { startRunTrace } from './run-trace.ts';

interface RecordedSpan {
  readonly name: string;
  readonly parent: string;
  readonly links: readonly string[];
  errorType?: string | undefined;
  endings: number;
}

/** A tracer whose spans have the contexts `span-0`, `span-1` … */
function createRecordingTracer() {
  const spans: RecordedSpan[] = [];
  const tracer: Tracer = {
    isEnabled: true,
    startRequest: () => null,
    startChild: (parent, name, { links = [] }): Span => {
      const span: RecordedSpan = { name, parent, links, endings: 0 };
      spans.push(span);
      return {
        context: `span-${spans.length - 1}`,
        setAttributes: () => undefined,
        end: (ending) => {
          span.endings += 1;
          span.errorType = ending?.errorType;
        },
      };
    },
    runWithin: (_span, work) => work(),
    startStep: () => null,
    close: async () => undefined,
  };
  return { spans, tracer };
}

const batch = { jobId: 'job', partition: 0, startCount: 1 };

function buildItem(eventId: string, traceContext?: string): QueueItem {
  const hook: HookBody = { kind: 'updated', occurredAt: '', widgetId: null, payload: null };
  const delivery: Delivery = { ...hook, eventId, integrationId: 'i', receivedAt: new Date(0), redrive: false };
  return { type: 'delivery', delivery, ...(traceContext === undefined ? {} : { traceContext }) };
}

test('links the run to every traced hook, and gives each of them a span in its own trace', () => {
  const { spans, tracer } = createRecordingTracer();
  const items: QueueItem[] = [buildItem('a'), buildItem('b', 'trace-b'), { type: 'nudge', widgetId: 'w' }];
  const trace = startRunTrace(tracer, batch, [...items, buildItem('c', 'trace-c')]);
  expect(spans).toMatchObject([
    { name: 'run', parent: 'trace-b', links: ['trace-b', 'trace-c'] },
    { name: 'process hook', parent: 'trace-b', links: ['span-0'] },
    { name: 'process hook', parent: 'trace-c', links: ['span-0'] },
  ]);
  const contexts = trace.items.map((item) => (item.type === 'delivery' ? item.traceContext : 'nudge'));
  expect(contexts).toEqual([undefined, 'span-1', 'nudge', 'span-2']);
  trace.end('published', 7);
  expect(spans.map(({ endings, errorType }) => [endings, errorType])).toEqual(spans.map(() => [1, undefined]));
});

test('marks the spans of a run that failed', async () => {
  const { spans, tracer } = createRecordingTracer();
  const trace = startRunTrace(tracer, batch, [buildItem('a', 'trace-a')]);
  await trace.runWithin(() => Promise.reject(new UnavailableError('no'))).catch(() => trace.end('unavailable'));
  expect(spans.map(({ errorType }) => errorType)).toEqual(['unavailable', 'unavailable']);
});

test('starts no span for a run without a traced hook, or without a tracer', () => {
  const { spans, tracer } = createRecordingTracer();
  const untraced = [buildItem('a')];
  expect(startRunTrace(tracer, batch, untraced).items).toBe(untraced);
  const traced = [buildItem('a', 'trace-a')];
  expect(startRunTrace(undefined, batch, traced).items).toBe(traced);
  expect(spans).toEqual([]);
});
