import type { Settings } from '../config/settings.ts';
import type { TraceContext } from '../domain/trace-context.ts';

/** An attribute is never a secret, a URL, an e-mail address or content of a hook: spans leave the service. */
type SpanAttributes = Readonly<Record<string, string | number>>;

/** As in OpenTelemetry: `server` answers a request, `consumer` processes a message, `client` calls a store. */
type SpanKind = 'server' | 'consumer' | 'client' | 'internal';

/** A span of a sampled trace. It is exported once it has ended. */
export interface Span {
  readonly context: TraceContext;
  setAttributes(attributes: SpanAttributes): void;
  /** `errorType` marks the span as failed. It is a code, never an error's message. */
  end(ending?: { readonly name?: string; readonly attributes?: SpanAttributes; readonly errorType?: string }): void;
}

export type TracingSettings = Pick<
  Settings,
  'OTEL_EXPORTER_OTLP_ENDPOINT' | 'OTEL_EXPORTER_OTLP_HEADERS' | 'OTEL_TRACES_SAMPLER_ARG' | 'TRACEPARENT_ENABLED'
>;

export interface ChildOptions {
  readonly kind: SpanKind;
  readonly attributes?: SpanAttributes;
  /** Spans of this or other traces that have a part in this one. */
  readonly links?: readonly TraceContext[];
  /** In milliseconds since the Unix epoch. Default: now. */
  readonly startedAtMs?: number;
}

/**
 * Starts spans. Only sampled traces have spans: where there is none, methods return null, and callers do nothing more.
 * No method waits for the receiver of the spans, and none throws.
 */
export interface Tracer {
  /** False: every span is null. Callers may skip preparations. */
  readonly isEnabled: boolean;
  /**
   * Starts the span of a request. A valid `traceparent` header decides whether it is sampled, if the settings allow
   * it; otherwise their ratio does.
   */
  startRequest(traceparent: string | undefined): Span | null;
  startChild(parent: TraceContext, name: string, options: ChildOptions): Span | null;
  /** Calls `work`. Until its promise settles, `startStep` in it starts children of the span. */
  runWithin<T>(span: Span | null, work: () => Promise<T>): Promise<T>;
  /** Starts a child of the span of the surrounding `runWithin`. Null outside of one. */
  startStep(name: string): Span | null;
  /** Exports the spans that have ended, for at most about two seconds. */
  close(): Promise<void>;
}

/** The tracer of a process without a receiver for its spans. */
export const noTracer: Tracer = {
  isEnabled: false,
  startRequest: () => null,
  startChild: () => null,
  runWithin: (_span, work) => work(),
  startStep: () => null,
  close: async () => undefined,
};
