import { compileFilter, type EventPredicate } from '@widget-service/shared/domain/event-filter.ts';
import { parsePosition } from '@widget-service/shared/domain/log-position.ts';
import type { RecordedConnection } from '../drivers/recording.ts';
import type { Checker } from './evidence.ts';
import { type History, historyOf, type ToldEvent } from './history.ts';

/**
 * C5: a connection goes on exactly where it was asked to, or a `stream.gap` comes first; from there to its last event
 * nothing is missing. Where no loss is allowed, a gap is a violation too.
 */
export const noSilentHole: Checker = (evidence) => {
  const history = historyOf(evidence);
  return evidence.recording.streams.flatMap((stream) => {
    const passes = compileFilter(stream.filter);
    return stream.connections.flatMap((connection, index) =>
      problemsOf(connection, history, passes, evidence.allowed.gaps).map(
        (problem) => `${stream.name}, connection ${index}: ${problem}`,
      ),
    );
  });
};

function problemsOf(
  connection: RecordedConnection,
  history: History,
  passes: EventPredicate | null,
  mayTellGaps: boolean,
): string[] {
  const { blocks, lastEventId } = connection;
  const [first, second] = blocks;
  if (first === undefined) return [];
  const found: string[] = [];
  const gap = first.type === 'message' && first.name === 'stream.gap' ? first : null;
  const open = gap === null ? first : second;
  if (gap !== null && !mayTellGaps) found.push(`was told of a gap (${String(gap.data.reason)})`);
  if (open === undefined || open.type !== 'message') return [...found, 'did not begin with stream.open'];
  // A stream that cannot be served now says only that it closes.
  if (open.name === 'stream.closing') return found;
  if (open.name !== 'stream.open') return [...found, 'did not begin with stream.open'];
  const isResumed = lastEventId !== null && gap === null;
  if (open.data.resumed !== isResumed) found.push(`said resumed: ${String(open.data.resumed)}`);
  const start = parsePosition(isResumed && lastEventId !== 'earliest' ? lastEventId : open.position);
  if (start === null) return [...found, 'has no position'];
  return [...found, ...holesIn(connection, start, history, passes)];
}

function holesIn(
  { blocks }: RecordedConnection,
  start: { readonly epoch: string; readonly seq: number },
  { epochs }: History,
  passes: EventPredicate | null,
): string[] {
  const delivered = blocks.filter((block) => block.type === 'event');
  const last = delivered.at(-1);
  if (last === undefined) return [];
  if (last.epoch !== start.epoch) return [`went on in another epoch than ${start.epoch}`];
  const seen = new Set(delivered.map(({ seq }) => seq));
  const isMissing = (event: ToldEvent) =>
    event.seq > start.seq && event.seq < last.seq && !seen.has(event.seq) && (passes === null || passes(event));
  const missing = (epochs.get(start.epoch) ?? []).filter(isMissing);
  return missing.length === 0 ? [] : [`has a hole of ${missing.length} events at ${start.epoch}..${missing[0]?.seq}`];
}
