import { formatShardedPosition } from './sharded-position.ts';

/** Unit costs of docs/scaling.md, in microseconds of one Redis thread. */
const appendCallUs = 140;
const appendEventUs = 10;
const expireMarksCallUs = 14;
const expireMarksEventUs = 1;
const wakeTailUs = 20;
const readEventUs = 1;
/** What a run appends per second to each shard that it writes to: 4 partitions with 50 runs. */
const appendsPerShard = 200;
/** Bytes of an event on its way to a pod. */
const eventBytes = 1_500;

interface ShardLoad {
  readonly shards: number;
  readonly pods: number;
  /** Cores of the one thread of each node. */
  readonly appendCores: number;
  readonly tailCores: number;
  readonly gigabitsPerSecond: number;
  /** Bytes that the position adds to each event on a stream. */
  readonly positionBytes: number;
}

/** Computes what one node of a sharded event log does, from the unit costs. */
function computeShardLoad(hooksPerSecond: number, shards: number, pods: number): ShardLoad {
  const events = hooksPerSecond / shards;
  const appends = Math.min(events, appendsPerShard);
  const callUs = appendCallUs + expireMarksCallUs;
  const eventUs = appendEventUs + expireMarksEventUs;
  return {
    shards,
    pods,
    appendCores: (callUs * appends + eventUs * events) / 1e6,
    tailCores: (pods * (wakeTailUs * appends + readEventUs * events)) / 1e6,
    gigabitsPerSecond: (pods * events * eventBytes * 8) / 1e9,
    positionBytes: measurePosition(shards),
  };
}

/** A position of today's size: an epoch of 8 characters, a time of this decade, a thousand million events. */
function measurePosition(shards: number): number {
  const part = { epoch: 'rov501w4', ms: Date.UTC(2030, 0), seq: 1_000_000_000 };
  return formatShardedPosition({ list: 2, parts: Array.from({ length: shards }, () => part) }).length;
}

/** A table of `shards × pods`, as Markdown. */
export function formatShardLoads(hooksPerSecond: number): string {
  const rows = [1, 2, 4, 8, 16].flatMap((shards) =>
    [1, 10, 100].map((pods) => {
      const load = computeShardLoad(hooksPerSecond, shards, pods);
      const figures = [load.appendCores, load.tailCores, load.gigabitsPerSecond].map((figure) => figure.toFixed(2));
      return `| ${shards} | ${pods} | ${figures.join(' | ')} | ${load.positionBytes} |`;
    }),
  );
  const head = '| shards | pods | append, cores per node | tails, cores per node | Gbit/s per node | position, bytes |';
  return [head, '|---|---|---|---|---|---|', ...rows].join('\n');
}
