import type { CodeMutation } from './mutation.ts';

const streamStart = 'packages/shared/src/domain/stream-start.ts';
const cursor = 'packages/shared/src/domain/log-position.ts';
const tail = 'apps/api/src/streams/fan-out/tail.ts';
const ring = 'apps/api/src/streams/fan-out/ring.ts';
const hub = 'apps/api/src/streams/fan-out/hub.ts';
const logReader = 'apps/api/src/streams/fan-out/log-reader.ts';

/**
 * Positions of two histories of the log can look alike. Each of these checks detects cases that the others miss.
 */
const linkChecks = {
  continues: {
    file: cursor,
    from: 'event.previousMs === null || event.previousMs === position.ms',
    to: 'event.previousMs === null || event.previousMs > 0',
  },
  sent: {
    file: ring,
    from: 'next.previousMs === null || next.previousMs === ms',
    to: 'next.previousMs === null || next.previousMs > 0',
  },
  atEnd: {
    file: ring,
    from: "ms === end.ms ? 'at-end' : 'diverged'",
    to: "'at-end'",
  },
  beyondEnd: { file: tail, from: "if (connection.cursor.seq > last.seq) hub.end(connection, 'resync');", to: ';' },
  oldest: {
    file: streamStart,
    from: 'isSamePosition(position, extent.oldest)',
    to: 'position.seq === extent.oldest.seq',
  },
} as const;

/** Rules of a pod: from the event log to its streams. */
export const streamRules: readonly CodeMutation[] = [
  {
    rule: 'the tail checks that the events continue without a hole',
    file: tail,
    from: '    if (!isContiguous(position, records)) return',
    to: '    if (!isContiguous(position, records) && records.length === 0) return',
  },
  {
    rule: 'the tail compares its position with the log after an empty read',
    file: tail,
    from: '    if (records.length === 0) return verify(position);',
    to: '    if (records.length === 0) return;',
  },
  {
    rule: 'a resync closes the streams',
    file: tail,
    from: "    hub.endAll('resync');\n",
    to: '',
  },
  {
    rule: 'a replay page continues without a hole',
    file: logReader,
    from: 'const next = takeContiguous(after, records);',
    to: 'const next = records;',
  },
  {
    rule: 'a stream joins only in the epoch of the ring',
    file: hub,
    from: 'request.epoch !== ring.position()?.epoch',
    to: "request.epoch === ''",
  },
  { rule: 'an event is checked against the position that it was appended after', ...linkChecks.continues },
  { rule: 'a connection is sent only events that follow its cursor', ...linkChecks.sent },
  { rule: 'a cursor at the end of the ring is the position of its last event', ...linkChecks.atEnd },
  { rule: 'a stream ahead of the end of the log is closed', ...linkChecks.beyondEnd },
  { rule: 'the position before the oldest event is compared by seq and ms', ...linkChecks.oldest },
  {
    rule: 'four of the five checks above: positions are compared by seq and ms',
    ...linkChecks.continues,
    also: [linkChecks.sent, linkChecks.atEnd, linkChecks.beyondEnd],
  },
  {
    rule: 'all five checks above: positions are compared by seq and ms',
    ...linkChecks.continues,
    also: [linkChecks.sent, linkChecks.atEnd, linkChecks.beyondEnd, linkChecks.oldest],
  },
  {
    rule: 'a resume from a trimmed position announces a gap',
    file: streamStart,
    from: "  return 'trimmed';\n",
    to: '  return null;\n',
  },
  {
    rule: 'a resume from another epoch announces a gap',
    file: streamStart,
    from: "  if (position.epoch !== extent.epoch) return 'epoch-changed';\n",
    to: '',
  },
  {
    rule: 'a resume from a position ahead of the log announces a gap',
    file: streamStart,
    from: "return 'ahead-of-stream';",
    to: 'return null;',
  },
  {
    rule: 'a tail leaves a replica that is behind the primary',
    file: 'packages/cluster/src/redis/replica-tail.ts',
    from: "if (this.#isBehind(after)) return this.#leave(source, 'it is behind the primary');",
    to: ';',
  },
  {
    rule: 'a connection behind the ring replays from the log',
    file: hub,
    from: '    else if (ring.canServeFrom(connection.cursor.seq + 1)) this.#startLive(connection);\n    else void this.#replay(connection);\n',
    to: '    else {\n      if (!ring.canServeFrom(connection.cursor.seq + 1)) connection.cursor = ring.position() ?? connection.cursor;\n      this.#startLive(connection);\n    }\n',
  },
];
