import type { LogPosition } from '@widget-service/shared/domain/log-position.ts';

/** Where a stream is in a sharded log: in one list of shards, with one part for each of them. */
export interface ShardedPosition {
  /** The number of the list. Each change of the number of shards begins a new one. */
  readonly list: number;
  readonly parts: readonly LogPosition[];
}

/**
 * The text that clients would see: the number of the list and its parts, with numbers in base 36.
 *
 * Example: `s2~k3f9.mpfb1i8w.zo~p07x.mpfb1i98.r5` is in list 2, which has two shards.
 *
 * It begins with `s`, and no position of today has a `~`. So a pod of a version without shards finds it malformed, and
 * says so with a gap, instead of taking it for another position.
 */
export function formatShardedPosition({ list, parts }: ShardedPosition): string {
  const texts = parts.map(({ epoch, ms, seq }) => `${epoch}.${ms.toString(36)}.${seq.toString(36)}`);
  return [`s${list.toString(36)}`, ...texts].join('~');
}

const listPattern = /^s([0-9a-z]{1,4})$/;
const partPattern = /^([0-9a-z]{1,32})\.([0-9a-z]{1,11})\.([0-9a-z]{1,11})$/;

/** Parses the text. Returns null for any other text. */
export function parseShardedPosition(text: string): ShardedPosition | null {
  const [head = '', ...rest] = text.split('~');
  const list = listPattern.exec(head);
  const parts = rest.map(parsePart);
  if (list === null || parts.length === 0 || parts.includes(null)) return null;
  return { list: Number.parseInt(list[1] ?? '', 36), parts: parts as LogPosition[] };
}

function parsePart(text: string): LogPosition | null {
  const match = partPattern.exec(text);
  if (match === null) return null;
  const [, epoch = '', ms = '', seq = ''] = match;
  const position = { epoch, ms: Number.parseInt(ms, 36), seq: Number.parseInt(seq, 36) };
  return Number.isSafeInteger(position.ms) && Number.isSafeInteger(position.seq) ? position : null;
}
