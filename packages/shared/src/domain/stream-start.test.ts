import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LogPosition } from './log-position.ts';
import { formatPosition } from './sse-id.ts';
import { type LogExtent, resolveStreamStart } from './stream-start.ts';

const at = (seq: number, ms = 1_000 + seq): LogPosition => ({ epoch: 'e1', ms, seq });
/** The log holds events 11 to 20. */
const extent: LogExtent = { epoch: 'e1', oldest: at(10), last: at(20) };

describe('resolveStreamStart', () => {
  test('starts at the end if no position is requested', () => {
    expect(resolveStreamStart(null, extent, false)).toEqual({ position: at(20), resumed: false, gap: null });
  });

  test('starts at the oldest kept event for `earliest`', () => {
    expect(resolveStreamStart('earliest', extent, false)).toEqual({ position: at(10), resumed: true, gap: null });
  });

  test('resumes at a kept event, at the last event, and right before the oldest kept event', () => {
    for (const [position, contains] of [
      [at(15), true],
      [at(20), false],
      [at(10), false],
    ] as const) {
      expect(resolveStreamStart(formatPosition(position), extent, contains)).toEqual({
        position,
        resumed: true,
        gap: null,
      });
    }
  });

  test('resumes at the last event of a log whose events are all trimmed', () => {
    const empty = { epoch: 'e1', oldest: at(20), last: at(20) };
    expect(resolveStreamStart(formatPosition(at(20)), empty, false).resumed).toBe(true);
    expect(resolveStreamStart(formatPosition(at(19)), empty, false).gap?.reason).toBe('trimmed');
  });

  test.each([
    ['trimmed', formatPosition(at(9))],
    ['trimmed', formatPosition(at(10, 1_001))],
    ['trimmed', formatPosition(at(15, 999_999_999)).replace('999999999', '1001')],
    ['ahead-of-stream', formatPosition(at(21))],
    ['epoch-changed', 'e0.1015.15'],
  ])('returns the gap %s for %s and starts at the oldest kept event', (reason, requested) => {
    expect(resolveStreamStart(requested, extent, false)).toEqual({
      position: at(10),
      resumed: false,
      gap: { requested, reason },
    });
  });

  test('returns the gap malformed with the text, and starts at the end, for any text that is not a position', () => {
    const anyText = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string().map((rest) => `e1.1015.15${rest}x`),
    );
    fc.assert(
      fc.property(anyText, (requested) => {
        const start = resolveStreamStart(requested, extent, true);
        expect(start).toEqual({ position: at(20), resumed: false, gap: { requested, reason: 'malformed' } });
      }),
    );
  });
});
