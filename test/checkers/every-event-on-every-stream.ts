import { compileFilter, type EventPredicate } from '@widget-service/shared/domain/event-filter.ts';
import type { RecordedStream, SeenEvent } from '../drivers/recording.ts';
import type { Checker } from './evidence.ts';
import { type History, historyOf } from './history.ts';
import { type Span, spansOf } from './stream-spans.ts';

/**
 * C2: each event reaches every stream entitled to it at least once, over all its connections; none comes twice on one
 * connection; and all are told the same. What a `stream.gap` announced is exempt.
 */
export const everyEventOnEveryStream: Checker = (evidence) => {
  const history = historyOf(evidence);
  return [
    ...evidence.recording.streams.flatMap((stream) => [...missing(stream, history), ...repeated(stream)]),
    ...toldDifferently(evidence.recording.streams, history),
  ];
};

function missing(stream: RecordedStream, { epochs }: History): string[] {
  const passes = compileFilter(stream.filter);
  const seen = new Set<string>();
  for (const event of eventsOf(stream)) seen.add(event.position.slice(0, event.position.indexOf('.')) + event.seq);
  return spansOf(stream).flatMap((span) => {
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

function repeated(stream: RecordedStream): string[] {
  return stream.connections.flatMap(({ blocks }, index) => {
    const ids = new Set<string>();
    const found: string[] = [];
    for (const block of blocks) {
      if (block.type !== 'event') continue;
      if (ids.has(block.event.id)) found.push(`${stream.name} got ${block.event.id} twice on connection ${index}`);
      ids.add(block.event.id);
    }
    return found;
  });
}

function toldDifferently(streams: readonly RecordedStream[], { epochs }: History): string[] {
  const texts = new Map<string, string>();
  for (const events of epochs.values()) for (const { epoch, seq, json } of events) texts.set(epoch + seq, json);
  const distinct = new Set<SeenEvent>();
  for (const stream of streams) for (const event of eventsOf(stream)) distinct.add(event);
  return [...distinct].flatMap(({ epoch, seq, data, position }) =>
    texts.get(epoch + seq) === data ? [] : [`the event at ${position} was not told the same everywhere`],
  );
}

function* eventsOf(stream: RecordedStream): Generator<SeenEvent> {
  for (const { blocks } of stream.connections) {
    for (const block of blocks) if (block.type === 'event') yield block;
  }
}
