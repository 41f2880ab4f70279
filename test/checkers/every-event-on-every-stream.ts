import { compileFilter, type EventPredicate } from '@widget-service/shared/domain/event-filter.ts';
import { parsePosition } from '@widget-service/shared/domain/sse-id.ts';
import type { ReceivedEvent, RecordedStream, StreamMessage } from '../drivers/cluster/recording.ts';
import { collectEventHistory, type EventHistory } from './event-history.ts';
import type { Checker } from './evidence.ts';

/**
 * C2: each event reaches every stream that may show it at least once, over all its connections. No event comes twice on
 * one connection. All streams receive the same bytes. Events that a `stream.gap` announced are exempt.
 */
export const everyEventOnEveryStream: Checker = (evidence) => {
  const history = collectEventHistory(evidence);
  return [
    ...evidence.recording.streams.flatMap((stream) => [...findMissing(stream, history), ...findRepeated(stream)]),
    ...findDifferingTexts(evidence.recording.streams, history),
  ];
};

function findMissing(stream: RecordedStream, { epochs }: EventHistory): string[] {
  const passes = compileFilter(stream.filter);
  const seen = new Set<string>();
  for (const event of listEvents(stream)) seen.add(event.position.slice(0, event.position.indexOf('.')) + event.seq);
  return computeSpans(stream).flatMap((span) => {
    const events = epochs.get(span.epoch) ?? [];
    const lost = events.filter(
      (event) => isWithin(event.seq, span) && isEntitled(passes, event) && !seen.has(event.epoch + event.seq),
    );
    return lost.map((event) => `${stream.name} never got event ${event.epoch}..${event.seq} (${event.eventId})`);
  });
}

function isWithin(seq: number, { after, upTo }: Span): boolean {
  return seq > after && (upTo === null || seq <= upTo);
}

function isEntitled(passes: EventPredicate | null, event: Parameters<EventPredicate>[0]): boolean {
  return passes === null || passes(event);
}

function findRepeated(stream: RecordedStream): string[] {
  return stream.connections.flatMap(({ blocks }, index) => {
    const ids = new Set<string>();
    const problems: string[] = [];
    for (const block of blocks) {
      if (block.type !== 'event') continue;
      if (ids.has(block.event.id)) problems.push(`${stream.name} got ${block.event.id} twice on connection ${index}`);
      ids.add(block.event.id);
    }
    return problems;
  });
}

function findDifferingTexts(streams: readonly RecordedStream[], { epochs }: EventHistory): string[] {
  const texts = new Map<string, string>();
  for (const events of epochs.values()) for (const { epoch, seq, json } of events) texts.set(epoch + seq, json);
  const distinct = new Set<ReceivedEvent>();
  for (const stream of streams) for (const event of listEvents(stream)) distinct.add(event);
  return [...distinct].flatMap(({ epoch, seq, data, position }) =>
    texts.get(epoch + seq) === data
      ? []
      : [`the event at ${position} has different bytes in the log or on another stream`],
  );
}

function* listEvents(stream: RecordedStream): Generator<ReceivedEvent> {
  for (const { blocks } of stream.connections) {
    for (const block of blocks) if (block.type === 'event') yield block;
  }
}

/** A part of one epoch of the log that a stream must receive. */
interface Span {
  readonly epoch: string;
  readonly after: number;
  /** Inclusive. Null: no end. */
  readonly upTo: number | null;
}

interface OpenSpan extends Span {
  upTo: number | null;
}

/**
 * Returns what a stream must receive, over all its connections: everything from its first position to the newest event,
 * without what gaps announced. For a stream that is closed for good, the last span ends at its last position.
 */
function computeSpans({ connections, closedBy }: RecordedStream): Span[] {
  const spans: OpenSpan[] = [];
  let lastSeq = 0;
  for (const { blocks } of connections) {
    for (const block of blocks) {
      const isStart = block.type === 'message' && (block.name === 'stream.gap' || spans.length === 0);
      const at = parsePosition(block.position);
      if (at === null) continue;
      const last = spans.at(-1);
      if (isStart && (block as StreamMessage).name !== 'stream.position') {
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
