/**
 * Names a span of a sampled trace, so that another process can continue the trace: the trace id (32 hexadecimal digits)
 * and the span id (16). A trace that is not sampled has none.
 *
 * Example: the header `traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01` is the context
 * `4bf92f3577b34da6a3ce929d0e0e473600f067aa0ba902b7`.
 */
export type TraceContext = string;

const traceIdLength = 32;
const contextPattern = /^(?!0{32})[0-9a-f]{32}(?!0{16})[0-9a-f]{16}$/;
/** W3C Trace Context, level 1. A later version may append fields. */
const traceparentPattern = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

export function isTraceContext(text: string): boolean {
  return contextPattern.test(text);
}

export function readTraceId(context: TraceContext): string {
  return context.slice(0, traceIdLength);
}

export function readSpanId(context: TraceContext): string {
  return context.slice(traceIdLength);
}

/** Parses a `traceparent` header. Null: it is malformed, and the receiver starts a trace of its own. */
export function parseTraceparent(
  header: string,
): { readonly context: TraceContext; readonly isSampled: boolean } | null {
  const [, version, traceId = '', spanId = '', flags = '', rest] = traceparentPattern.exec(header) ?? [];
  const context = traceId + spanId;
  if (!isTraceContext(context) || (version === '00' && rest !== undefined)) return null;
  return { context, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}
