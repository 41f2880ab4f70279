import { UnavailableError } from '../domain/errors.ts';
import type { QueueItem } from '../domain/queue-item.ts';
import type { TraceContext } from '../domain/trace-context.ts';
import type { Backend } from '../ports/backend.ts';
import type { ConsumedBatch } from '../ports/hook-queue.ts';
import { noTracer, type Span, type Tracer } from '../tracing/tracer.ts';
import type { RunOutcome } from './dead-letters.ts';

/** The most links of a run's span. Further hooks are traced, but not linked. */
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
 * So the trace of each hook is complete by itself, also if the hook runs in a batch.
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

/** The ports that a run calls. */
type RunPorts = Pick<Backend, 'runs' | 'effects' | 'ledger' | 'outboxes' | 'eventLog'>;

/**
 * Returns the same ports with tracing: within a traced run, each call becomes a span, such as `eventLog.append`. If
 * tracing is off, returns the given ports.
 */
export function traceRunPorts(ports: RunPorts, tracer: Tracer): RunPorts {
  if (!tracer.isEnabled) return ports;
  const { runs, effects, ledger, outboxes, eventLog } = ports;
  return {
    runs: tracePort('runs', runs, tracer),
    effects: tracePort('effects', effects, tracer),
    ledger: tracePort('ledger', ledger, tracer),
    outboxes: tracePort('outboxes', outboxes, tracer),
    eventLog: tracePort('eventLog', eventLog, tracer),
  };
}

function tracePort<Port extends object>(port: string, target: Port, tracer: Tracer): Port {
  return new Proxy(target, {
    get(_, operation) {
      const value = Reflect.get(target, operation, target) as unknown;
      if (typeof value !== 'function' || typeof operation !== 'string') return value;
      // Binds to the target: a method that is called on the proxy could not access private members.
      const call = value.bind(target) as (...args: unknown[]) => unknown;
      return (...args: unknown[]) => traceCall(tracer, `${port}.${operation}`, () => call(...args));
    },
  });
}

function traceCall(tracer: Tracer, name: string, call: () => unknown): unknown {
  const span = tracer.startStep(name);
  if (span === null) return call();
  const result = call();
  if (!(result instanceof Promise)) {
    span.end();
    return result;
  }
  result.then(
    () => span.end(),
    (error: unknown) => span.end({ errorType: error instanceof UnavailableError ? 'unavailable' : 'other' }),
  );
  return result;
}
