import { describe, expect, test } from 'vitest';
import { isTraceContext, parseTraceparent, readSpanId, readTraceId } from './trace-context.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';
const context = traceId + spanId;

describe('parseTraceparent', () => {
  test('returns the context and whether the trace is sampled', () => {
    expect(parseTraceparent(`00-${traceId}-${spanId}-01`)).toEqual({ context, isSampled: true });
    expect(parseTraceparent(`00-${traceId}-${spanId}-00`)).toEqual({ context, isSampled: false });
    expect(parseTraceparent(`00-${traceId}-${spanId}-03`)).toEqual({ context, isSampled: true });
  });

  test('reads the known fields of a later version', () => {
    expect(parseTraceparent(`01-${traceId}-${spanId}-01-more`)).toEqual({ context, isSampled: true });
  });

  test.each([
    ['an empty text', ''],
    ['upper-case digits', `00-${traceId.toUpperCase()}-${spanId}-01`],
    ['the forbidden version ff', `ff-${traceId}-${spanId}-01`],
    ['a trace id of zeros', `00-${'0'.repeat(32)}-${spanId}-01`],
    ['a span id of zeros', `00-${traceId}-${'0'.repeat(16)}-01`],
    ['an additional field in version 00', `00-${traceId}-${spanId}-01-more`],
    ['two headers joined by Node', `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`],
    ['a short trace id', `00-${traceId.slice(1)}-${spanId}-01`],
  ])('returns null for %s', (_, header) => {
    expect(parseTraceparent(header)).toBeNull();
  });
});

describe('isTraceContext', () => {
  test('accepts exactly a trace id and a span id', () => {
    expect(isTraceContext(context)).toBe(true);
    expect([readTraceId(context), readSpanId(context)]).toEqual([traceId, spanId]);
    for (const text of ['', `${context}0`, context.slice(1), context.toUpperCase(), `${'0'.repeat(32)}${spanId}`]) {
      expect(isTraceContext(text)).toBe(false);
    }
  });
});
