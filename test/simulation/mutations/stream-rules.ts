import type { Mutation } from './mutation.ts';

const streamStart = 'packages/shared/src/domain/stream-start.ts';
const tail = 'apps/api/src/stream/tail.ts';
const hub = 'apps/api/src/stream/hub.ts';
const logReader = 'apps/api/src/stream/log-reader.ts';

/** What a pod keeps to. */
export const streamRules: readonly Mutation[] = [
  {
    rule: 'the tail checks that the numbers are dense',
    file: tail,
    from: '    if (!continues(position, records)) return',
    to: '    if (!continues(position, records) && records.length === 0) return',
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
    from: "    deps.hub.endAll('resync');\n",
    to: '',
  },
  {
    rule: 'a page of a replay must go on densely',
    file: logReader,
    from: 'if (record.epoch !== after.epoch || record.seq !== after.seq + 1 + index) throw',
    to: 'if (record.seq < 0) throw',
  },
  {
    rule: 'a stream joins only in the epoch of the ring',
    file: hub,
    from: 'request.epoch !== ring.position()?.epoch',
    to: "request.epoch === ''",
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
    file: hub,
    from: 'else if (ring.reaches(connection.cursor.seq + 1)) this.#pump(connection, false);',
    to: 'else if (ring.position() !== null) {\n      if (!ring.reaches(connection.cursor.seq + 1)) connection.cursor = ring.position() ?? connection.cursor;\n      this.#pump(connection, false);\n    }',
  },
];
