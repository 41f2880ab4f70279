import type { QueueItem } from '../domain/queue-item.ts';
import type { TraceContext } from '../domain/trace-context.ts';
import type { ConsumedBatch } from '../ports/hook-queue.ts';
import { noTracer, type Span, type Tracer } from '../tracing/tracer.ts';
import type { RunOutcome } from './dead-letter-rules.ts';

/** Further hooks of the run are traced, but the span of the run does not name them. */
const linksMax = 128;

/** The spans of one run. */
export interface RunTrace {
  /** The items of the run, with the spans of this run as their contexts. */
  readonly items: readonly QueueItem[];
  /** Calls `work`. The calls to stores in it become spans. */
  runWithin<T>(work: () => Promise<T>): Promise<T>;
  end(outcome: RunOutcome, run?: number): void;
}

/**
 * Starts the spans of a run whose items are traced:
 *
 * - `process hook` for each traced hook, in the trace of its request. It links to the run.
 * - `run`, in the trace of the first traced hook. It links to every traced hook, and holds the steps of the run.
 *
 * So a hook that runs alone is one trace, and the trace of each hook of a batch is complete without the others.
 */
export function startRunTrace(
  tracer: Tracer = noTracer,
  { jobId, partition, startCount }: Pick<ConsumedBatch, 'jobId' | 'partition' | 'startCount'>,
  items: readonly QueueItem[],
): RunTrace {
  const contexts = tracer.isEnabled ? items.flatMap((item) => readTraceContext(item) ?? []) : [];
  const [first] = contexts;
  const attributes = { 'widget.job.id': jobId, 'widget.partition': partition, 'widget.job.starts': startCount };
  const runSpan =
    first === undefined
      ? null
      : tracer.startChild(first, 'run', {
          kind: 'internal',
          links: contexts.slice(0, linksMax),
          attributes: { ...attributes, 'widget.run.items': items.length },
        });
  if (runSpan === null) return { items, runWithin: (work) => work(), end: () => undefined };
  const hookSpans: Span[] = [];
  const tracedItems = items.map((item) => {
    const span = startHookSpan(tracer, item, runSpan.context);
    if (span === null) return item;
    hookSpans.push(span);
    return { ...item, traceContext: span.context };
  });
  return {
    items: tracedItems,
    runWithin: (work) => tracer.runWithin(runSpan, work),
    end: (outcome, run) => {
      const isFailure = outcome === 'unavailable' || outcome === 'failed' || outcome === 'not-applied';
      const ending = {
        attributes: { 'widget.run.outcome': outcome, ...(run === undefined ? {} : { 'widget.run.number': run }) },
        ...(isFailure ? { errorType: outcome } : {}),
      };
      for (const span of [...hookSpans, runSpan]) span.end(ending);
    },
  };
}

function startHookSpan(tracer: Tracer, item: QueueItem, run: TraceContext): Span | null {
  const context = readTraceContext(item);
  if (item.type === 'nudge' || context === undefined) return null;
  const { eventId, integrationId } = item.delivery;
  return tracer.startChild(context, 'process hook', {
    kind: 'consumer',
    links: [run],
    attributes: { 'widget.event.id': eventId, 'widget.integration.id': integrationId },
  });
}

function readTraceContext(item: QueueItem): TraceContext | undefined {
  return item.type === 'delivery' ? item.traceContext : undefined;
}
