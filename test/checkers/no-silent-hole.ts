import { compileFilter, type EventPredicate } from '@widget-service/shared/domain/event-filter.ts';
import { parsePosition } from '@widget-service/shared/domain/sse-id.ts';
import type { RecordedConnection } from '../drivers/cluster/recording.ts';
import { collectEventHistory, type EventHistory, type PublishedEvent } from './event-history.ts';
import type { Checker } from './evidence.ts';

/**
 * C5: a connection continues exactly at the requested position, or starts with a `stream.gap`. From there to its last
 * event nothing is missing. Where no loss is allowed, a gap is a violation, too.
 */
export const noSilentHole: Checker = (evidence) => {
  const history = collectEventHistory(evidence);
  return evidence.recording.streams.flatMap((stream) => {
    const passes = compileFilter(stream.filter);
    return stream.connections.flatMap((connection, index) =>
      findProblems(connection, history, passes, evidence.allowed.gaps).map(
        (problem) => `${stream.name}, connection ${index}: ${problem}`,
      ),
    );
  });
};

function findProblems(
  connection: RecordedConnection,
  history: EventHistory,
  passes: EventPredicate | null,
  mayHaveGaps: boolean,
): string[] {
  const { blocks, lastEventId } = connection;
  const [first, second] = blocks;
  if (first === undefined) return [];
  const problems: string[] = [];
  const gap = first.type === 'message' && first.name === 'stream.gap' ? first : null;
  const open = gap === null ? first : second;
  if (gap !== null && !mayHaveGaps) problems.push(`got a gap (${String(gap.data.reason)})`);
  if (open === undefined || open.type !== 'message') return [...problems, 'did not start with stream.open'];
  // A stream that cannot be served now only announces that it closes.
  if (open.name === 'stream.closing') return problems;
  if (open.name !== 'stream.open') return [...problems, 'did not start with stream.open'];
  const isResumed = lastEventId !== null && gap === null;
  if (open.data.resumed !== isResumed) problems.push(`has resumed: ${String(open.data.resumed)} in stream.open`);
  const start = parsePosition(isResumed ? lastEventId : open.position);
  if (start === null) return [...problems, 'has no position'];
  return [...problems, ...findHoles(connection, start, history, passes)];
}

function findHoles(
  { blocks }: RecordedConnection,
  start: { readonly epoch: string; readonly seq: number },
  { epochs }: EventHistory,
  passes: EventPredicate | null,
): string[] {
  const delivered = blocks.filter((block) => block.type === 'event');
  const last = delivered.at(-1);
  if (last === undefined) return [];
  if (last.epoch !== start.epoch) return [`continued in another epoch than ${start.epoch}`];
  const seen = new Set(delivered.map(({ seq }) => seq));
  const isMissing = (event: PublishedEvent) =>
    event.seq > start.seq && event.seq < last.seq && !seen.has(event.seq) && (passes === null || passes(event));
  const missing = (epochs.get(start.epoch) ?? []).filter(isMissing);
  return missing.length === 0 ? [] : [`has a hole of ${missing.length} events at ${start.epoch}..${missing[0]?.seq}`];
}
