import { parsePosition } from '@widget-service/shared/domain/sse-id.ts';
import type { RecordedStream } from '../drivers/cluster/recording.ts';
import { collectEventHistory, type PublishedEvent } from './event-history.ts';
import type { Checker } from './evidence.ts';

/**
 * C3: per widget, `version` strictly rises on every stream, over all its connections to one epoch, without repetitions.
 * A gap starts a new sequence. Per connection, positions strictly rise, in one epoch. In the log, `seq` and versions
 * rise by exactly one.
 */
export const versionsRise: Checker = (evidence) => [
  ...evidence.recording.streams.flatMap((stream) => [...checkVersions(stream), ...checkPositions(stream)]),
  ...[...collectEventHistory(evidence).epochs.values()].flatMap((events) =>
    checkDensity(events, evidence.allowed.gaps),
  ),
];

function checkVersions(stream: RecordedStream): string[] {
  const highest = new Map<string, number>();
  const seen = new Set<string>();
  const violations: string[] = [];
  for (const { blocks } of stream.connections) {
    for (const block of blocks) {
      // After a gap the client starts again, with the oldest event that the log holds.
      if (block.type === 'message' && block.name === 'stream.gap') highest.clear();
      if (block.type !== 'event' || seen.has(block.epoch + block.event.id)) continue;
      seen.add(block.epoch + block.event.id);
      const version = block.event.data.widget?.version;
      if (version === undefined) continue;
      const widget = `${block.epoch} ${block.event.subject}`;
      const before = highest.get(widget) ?? 0;
      if (version <= before)
        violations.push(`${stream.name}: ${block.event.subject} went from ${before} to ${version}`);
      highest.set(widget, version);
    }
  }
  return violations;
}

function checkPositions(stream: RecordedStream): string[] {
  return stream.connections.flatMap(({ blocks }, index) => {
    const violations: string[] = [];
    let before: { epoch: string; seq: number } | null = null;
    for (const block of blocks) {
      const at = parsePosition(block.position);
      if (at === null) continue;
      const isNew = block.type === 'event';
      const rises =
        before === null || (before.epoch === at.epoch && (isNew ? at.seq > before.seq : at.seq >= before.seq));
      if (!rises) violations.push(`${stream.name}, connection ${index}: ${block.position} came after ${before?.seq}`);
      before = at;
    }
    return violations;
  });
}

/** After a loss, the log continues a widget's versions with the ones in its outbox. */
function checkDensity(events: readonly PublishedEvent[], mayStartAnywhere: boolean): string[] {
  const violations: string[] = [];
  const versions = new Map<string, number>();
  events.forEach((event, index) => {
    const before = events[index - 1];
    if (before !== undefined && event.seq !== before.seq + 1) violations.push(`the log has no event ${before.seq + 1}`);
    if (event.version === null || event.widgetId === null) return;
    const last = versions.get(event.widgetId) ?? (mayStartAnywhere ? event.version - 1 : 0);
    if (event.version !== last + 1)
      violations.push(`the log has version ${event.version} of ${event.widgetId} after version ${last}`);
    versions.set(event.widgetId, event.version);
  });
  return violations;
}
