import type { Mutation } from './mutation.ts';

const streamStart = 'packages/shared/src/domain/stream-start.ts';
const cursor = 'packages/shared/src/domain/log-position.ts';
const tail = 'apps/api/src/stream/tail.ts';
const ring = 'apps/api/src/stream/ring.ts';
const hub = 'apps/api/src/stream/hub.ts';
const feeder = 'apps/api/src/stream/stream-feeder.ts';
const logReader = 'apps/api/src/stream/log-reader.ts';

/** Wherever one event follows another, two histories could be taken for one; each of these checks sees what others miss. */
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
    from: "ms === end.ms ? 'none-yet' : 'other-history'",
    to: "'none-yet'",
  },
  beyondEnd: { file: tail, from: '    endBeyond(known.extent.last);\n', to: '' },
  oldest: {
    file: streamStart,
    from: 'isSamePosition(position, extent.oldest)',
    to: 'position.seq === extent.oldest.seq',
  },
} as const;

/** What a pod keeps to. */
export const streamRules: readonly Mutation[] = [
  {
    rule: 'the tail checks that the numbers are dense',
    file: tail,
    from: '    if (!isContiguous(position, records)) return',
    to: '    if (!isContiguous(position, records) && records.length === 0) return',
  },
  {
    rule: 'the tail compares with the log when nothing came',
    file: tail,
    from: '    if (records.length === 0) return verify(position);',
    to: '    if (records.length === 0) return;',
  },
  {
    rule: 'the tail ends its streams when it starts anew',
    file: tail,
    from: "    hub.endAll('resync');\n",
    to: '',
  },
  {
    rule: 'a page of a replay must go on densely',
    file: logReader,
    from: 'if (!isContiguous(after, records)) throw',
    to: 'if (!isContiguous(after, records) && records.length === 0) throw',
  },
  {
    rule: 'a stream joins only in the epoch of the ring',
    file: hub,
    from: 'request.epoch !== ring.position()?.epoch',
    to: "request.epoch === ''",
  },
  { rule: 'an event tells which one it came after', ...linkChecks.continues },
  { rule: 'what a stream is sent came after the event it stands on', ...linkChecks.sent },
  { rule: 'who stands at the end of the ring stands on its last event', ...linkChecks.atEnd },
  { rule: 'a stream that stands beyond the end of the log is ended', ...linkChecks.beyondEnd },
  { rule: 'the position before the oldest event is exact', ...linkChecks.oldest },
  {
    rule: 'all five but the last: positions are compared by number and time',
    ...linkChecks.continues,
    also: [linkChecks.sent, linkChecks.atEnd, linkChecks.beyondEnd],
  },
  {
    rule: 'all five: positions are compared by number and time',
    ...linkChecks.continues,
    also: [linkChecks.sent, linkChecks.atEnd, linkChecks.beyondEnd, linkChecks.oldest],
  },
  {
    rule: 'a resume behind what is kept is a gap',
    file: streamStart,
    from: "  return 'trimmed';\n",
    to: '  return null;\n',
  },
  {
    rule: 'a resume from another epoch is a gap',
    file: streamStart,
    from: "  if (position.epoch !== extent.epoch) return 'epoch-changed';\n",
    to: '',
  },
  {
    rule: 'a resume ahead of the log is a gap',
    file: streamStart,
    from: "return 'ahead-of-stream';",
    to: 'return null;',
  },
  {
    rule: 'a connection behind the ring is fed from the log',
    file: feeder,
    from: '    if (this.#deps.ring.covers(connection.cursor.seq + 1)) this.#startLive(connection);\n    else void this.#startReplay(connection);\n',
    to: '    const { ring } = this.#deps;\n    if (!ring.covers(connection.cursor.seq + 1)) connection.cursor = ring.position() ?? connection.cursor;\n    this.#startLive(connection);\n',
  },
];
