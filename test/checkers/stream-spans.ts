import { parsePosition } from '@widget-service/shared/domain/log-position.ts';
import type { RecordedStream, StreamMessage } from '../drivers/recording.ts';

/** A part of the log that a stream is entitled to, of one epoch. */
export interface Span {
  readonly epoch: string;
  readonly after: number;
  /** Inclusive; null: whatever comes. */
  readonly upTo: number | null;
}

interface OpenSpan extends Span {
  upTo: number | null;
}

/**
 * From where each stream was opened, over all its connections, to the newest event; less what gaps announced. A stream
 * that is closed for good is entitled to what it has seen the end of.
 */
export function spansOf({ connections, closedBy }: RecordedStream): Span[] {
  const spans: OpenSpan[] = [];
  let lastSeq = 0;
  for (const { blocks } of connections) {
    for (const block of blocks) {
      const starts = block.type === 'message' && (block.name === 'stream.gap' || spans.length === 0);
      const at = parsePosition(block.position);
      if (at === null) continue;
      const last = spans.at(-1);
      if (starts && (block as StreamMessage).name !== 'stream.position') {
        if (last !== undefined) last.upTo = lastSeq;
        spans.push({ epoch: at.epoch, after: at.seq, upTo: null });
      }
      lastSeq = at.seq;
    }
  }
  const last = spans.at(-1);
  if (last !== undefined && closedBy !== null) last.upTo = lastSeq;
  return spans;
}
