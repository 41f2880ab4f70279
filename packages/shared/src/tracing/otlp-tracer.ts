import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import {
  type Attributes,
  type Context,
  DiagLogLevel,
  diag,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import { AlwaysOnSampler, BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { parseTraceparent, readSpanId, readTraceId, type TraceContext } from '../domain/trace-context.ts';
import { withDeadline } from '../runtime/clock.ts';
import { readServiceVersion } from '../runtime/process-identity.ts';
import type { ChildOptions, Span, Tracer, TracingSettings } from './tracer.ts';

const kinds = {
  server: SpanKind.SERVER,
  consumer: SpanKind.CONSUMER,
  client: SpanKind.CLIENT,
  internal: SpanKind.INTERNAL,
};

/** A stopping process must not wait for a receiver that is gone. */
const closeMaxMs = 2_000;
/** A receiver that is gone makes every export fail, each with several messages. */
const warningPauseMs = 60_000;

/**
 * Opens a tracer that exports spans over OTLP (HTTP, protobuf). Exports happen in the background, up to 512 spans each.
 * If more than 2 048 spans wait, the tracer drops further ones.
 *
 * It decides itself which traces are sampled: OpenTelemetry's own sampler would create an object for each request that
 * is not sampled.
 */
export function openOtlpTracer(
  endpoint: string,
  settings: TracingSettings,
  serviceName: string,
  onWarning: (message: string) => void,
): Tracer {
  const { OTEL_TRACES_SAMPLER_ARG: ratio, TRACEPARENT_ENABLED: followsSender } = settings;
  forwardWarnings(onWarning);
  const exporter = new OTLPTraceExporter({
    url: `${endpoint}/v1/traces`,
    headers: { ...settings.OTEL_EXPORTER_OTLP_HEADERS },
  });
  const provider = new TracerProvider({
    resource: defaultResource().merge(
      resourceFromAttributes({
        'service.name': serviceName,
        'service.version': readServiceVersion(),
        'service.instance.id': randomUUID(),
      }),
    ),
    sampler: new AlwaysOnSampler(),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  const otel = provider.getTracer('widget-service');
  const running = new AsyncLocalStorage<TraceContext>();

  const startChild = (parent: TraceContext, name: string, options: ChildOptions): Span => {
    const { kind, attributes = {}, links = [], startedAtMs } = options;
    const otelOptions = {
      kind: kinds[kind],
      attributes: attributes as Attributes,
      links: links.map((link) => ({ context: toSpanContext(link) })),
      ...(startedAtMs === undefined ? {} : { startTime: startedAtMs }),
    };
    return toSpan(otel.startSpan(name, otelOptions, toParent(parent)));
  };
  return {
    isEnabled: true,
    startRequest: (traceparent) => {
      const incoming = traceparent === undefined || !followsSender ? null : parseTraceparent(traceparent);
      if (!(incoming?.isSampled ?? Math.random() < ratio)) return null;
      const parent = incoming === null ? ROOT_CONTEXT : toParent(incoming.context);
      return toSpan(otel.startSpan('request', { kind: SpanKind.SERVER }, parent));
    },
    startChild,
    runWithin: (span, work) => (span === null ? work() : running.run(span.context, work)),
    startStep: (name) => {
      const parent = running.getStore();
      return parent === undefined ? null : startChild(parent, name, { kind: 'client' });
    },
    close: async () => {
      await withDeadline(provider.shutdown(), closeMaxMs, 'export the last spans').catch((error: unknown) =>
        onWarning(error instanceof Error ? error.message : String(error)),
      );
    },
  };
}

function toSpan(span: OtelSpan): Span {
  const { traceId, spanId } = span.spanContext();
  return {
    context: traceId + spanId,
    setAttributes: (attributes) => void span.setAttributes(attributes as Attributes),
    end: ({ name, attributes, errorType } = {}) => {
      if (name !== undefined) span.updateName(name);
      if (attributes !== undefined) span.setAttributes(attributes as Attributes);
      if (errorType !== undefined) span.setAttribute('error.type', errorType).setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}

/** A `TraceContext` always is of a sampled trace. */
function toSpanContext(context: TraceContext): SpanContext {
  return {
    traceId: readTraceId(context),
    spanId: readSpanId(context),
    traceFlags: TraceFlags.SAMPLED,
    isRemote: true,
  };
}

function toParent(context: TraceContext): Context {
  return trace.setSpanContext(ROOT_CONTEXT, toSpanContext(context));
}

/** Passes on at most one warning or error of OpenTelemetry a minute. */
function forwardWarnings(onWarning: (message: string) => void): void {
  let nextAtMs = 0;
  const warn = (message: string) => {
    const nowMs = performance.now();
    if (nowMs < nextAtMs) return;
    nextAtMs = nowMs + warningPauseMs;
    onWarning(message);
  };
  const ignore = () => undefined;
  diag.setLogger({ error: warn, warn, info: ignore, debug: ignore, verbose: ignore }, DiagLogLevel.WARN);
}
