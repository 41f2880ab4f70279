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

export interface ChildOptions {
  readonly kind: SpanKind;
  readonly attributes?: SpanAttributes;
  /** Spans of this or other traces that have a part in this one. */
  readonly links?: readonly TraceContext[];
  /** In milliseconds since the Unix epoch. Left out: now. */
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
   * Starts the span of a request. A valid `traceparent` header decides whether it is sampled, unless the options ignore
   * it; otherwise the ratio of the settings does.
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

export interface TracerOptions {
  /** The base URL of an OTLP receiver, without `/v1/traces`. Null: no tracing. */
  readonly endpoint: string | null;
  /** Sent with each export, such as a credential of the receiver. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The time limit of one export. */
  readonly timeoutMs?: number;
  /** The share of traces to sample, from 0 to 1, among requests whose sender has not decided it. */
  readonly ratio: number;
  readonly serviceName: string;
  /** Whether senders decide nothing about traces. Left out: they do. */
  readonly ignoresTraceparent?: boolean;
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
