import { parsePosition } from '@widget-service/shared/domain/log-position.ts';
import type { RecordedStream } from '../drivers/recording.ts';
import type { Checker } from './evidence.ts';
import { historyOf, type ToldEvent } from './history.ts';

/**
 * C3: per widget, `version` strictly rises on every stream, over its connections to one epoch, repeats left out, up to a
 * gap that it was told of; per connection the positions strictly rise, in one epoch; in the log both go on densely.
 */
export const versionsRise: Checker = (evidence) => [
  ...evidence.recording.streams.flatMap((stream) => [...versionsOf(stream), ...positionsOf(stream)]),
  ...[...historyOf(evidence).epochs.values()].flatMap((events) => densityOf(events, evidence.allowed.gaps)),
];

function versionsOf(stream: RecordedStream): string[] {
  const highest = new Map<string, number>();
  const seen = new Set<string>();
  const found: string[] = [];
  for (const { blocks } of stream.connections) {
    for (const block of blocks) {
      // Whoever is told of a gap begins again with the oldest that is kept.
      if (block.type === 'message' && block.name === 'stream.gap') highest.clear();
      if (block.type !== 'event' || seen.has(block.epoch + block.event.id)) continue;
      seen.add(block.epoch + block.event.id);
      const version = block.event.data.widget?.version;
      if (version === undefined) continue;
      const widget = `${block.epoch} ${block.event.subject}`;
      const before = highest.get(widget) ?? 0;
      if (version <= before) found.push(`${stream.name}: ${block.event.subject} went from ${before} to ${version}`);
      highest.set(widget, version);
    }
  }
  return found;
}

function positionsOf(stream: RecordedStream): string[] {
  return stream.connections.flatMap(({ blocks }, index) => {
    const found: string[] = [];
    let before: { epoch: string; seq: number } | null = null;
    for (const block of blocks) {
      const at = parsePosition(block.position);
      if (at === null) continue;
      const isNew = block.type === 'event';
      const rises =
        before === null || (before.epoch === at.epoch && (isNew ? at.seq > before.seq : at.seq >= before.seq));
      if (!rises) found.push(`${stream.name}, connection ${index}: ${block.position} came after ${before?.seq}`);
      before = at;
    }
    return found;
  });
}

/** After a loss of the log a widget's versions go on in it where its outbox stands. */
function densityOf(events: readonly ToldEvent[], mayBeginAnywhere: boolean): string[] {
  const found: string[] = [];
  const versions = new Map<string, number>();
  events.forEach((event, index) => {
    const before = events[index - 1];
    if (before !== undefined && event.seq !== before.seq + 1) found.push(`the log has no event ${before.seq + 1}`);
    if (event.version === null || event.widgetId === null) return;
    const last = versions.get(event.widgetId) ?? (mayBeginAnywhere ? event.version - 1 : 0);
    if (event.version !== last + 1)
      found.push(`the log has version ${event.version} of ${event.widgetId} after version ${last}`);
    versions.set(event.widgetId, event.version);
  });
  return found;
}
