import { formatPosition, type LogPosition, parsePosition } from '@widget-service/shared/domain/log-position.ts';

/** Where a stream is in a sharded log: in one list of shards, with one part for each of them. */
export interface ShardedPosition {
  /** The number of the list. Each change of the number of shards begins a new one. */
  readonly list: number;
  readonly parts: readonly LogPosition[];
}

/** Most shards of a list. It bounds the text of a position. */
const maxShards = 16;

/** Characters of the longest text: `s`, a number of 4 digits, and for each shard `~`, 32 of the epoch, `.`, 11, `.`, 11. */
export const maxPositionLength = 1 + 4 + maxShards * (1 + 32 + 1 + 11 + 1 + 11);

/**
 * The text that clients would see: the number of the list and its parts, with numbers in base 36.
 *
 * Example: `s2~k3f9.mpfb1i8w.zo~p07x.mpfb1i98.r5` is in list 2, which has two shards.
 *
 * The log of a version without shards is list 1, with one shard. Its positions keep the text that they have today. So
 * pods of both versions understand each other's positions until list 2 begins. A position of a later list begins with
 * `s` and has a `~`, which no position of today has. A pod of a version without shards finds it malformed, and says so
 * with a gap, instead of taking it for another position.
 */
export function formatShardedPosition({ list, parts }: ShardedPosition): string {
  const [first] = parts;
  if (list === 1 && parts.length === 1 && first !== undefined) return formatPosition(first);
  const texts = parts.map(({ epoch, ms, seq }) => `${epoch}.${ms.toString(36)}.${seq.toString(36)}`);
  return [`s${list.toString(36)}`, ...texts].join('~');
}

const listPattern = /^s([1-9a-z][0-9a-z]{0,3})$/;
const partPattern = /^([0-9a-z]{1,32})\.(0|[1-9a-z][0-9a-z]{0,10})\.(0|[1-9a-z][0-9a-z]{0,10})$/;

/** Parses the text. Returns null for any other text. Does not check how many shards the list has. */
export function parseShardedPosition(text: string): ShardedPosition | null {
  const today = parsePosition(text);
  if (today !== null) return { list: 1, parts: [today] };
  if (text.length > maxPositionLength) return null;
  const [head = '', ...rest] = text.split('~');
  const list = listPattern.exec(head);
  const parts = rest.map(parsePart);
  const hasParts = parts.length > 0 && parts.length <= maxShards && !parts.includes(null);
  if (list === null || !hasParts) return null;
  const position = { list: Number.parseInt(list[1] ?? '', 36), parts: parts as LogPosition[] };
  // Each position has one text.
  return position.list === 1 && parts.length === 1 ? null : position;
}

function parsePart(text: string): LogPosition | null {
  const match = partPattern.exec(text);
  if (match === null) return null;
  const [, epoch = '', ms = '', seq = ''] = match;
  const position = { epoch, ms: Number.parseInt(ms, 36), seq: Number.parseInt(seq, 36) };
  return Number.isSafeInteger(position.ms) && Number.isSafeInteger(position.seq) ? position : null;
}
