import type { EventPredicate } from '@widget-service/shared/domain/event-filter.ts';
import type { Frame } from './frame.ts';

/**
 * Bytes on their way to many connections: wrapped as an HTTP/1.1 chunk (RFC 9112, section 7.1) once, not once per
 * connection.
 */
export class Chunk {
  readonly plain: Buffer;
  #wrapped: Buffer | undefined;

  constructor(plain: Buffer) {
    this.plain = plain;
  }

  get wrapped(): Buffer {
    this.#wrapped ??= Buffer.concat([Buffer.from(`${this.plain.length.toString(16)}\r\n`), this.plain, crlf]);
    return this.#wrapped;
  }
}

const crlf = Buffer.from('\r\n');

/** Ends a chunked body. */
export const lastChunk = Buffer.from('0\r\n\r\n');

/** So much is joined into one write at most: with its wrapping, what a sink hands to its socket at once. */
const writeMaxBytes = 63 * 1024;

/** Frames that are dense in `seq`: the ring, or a page of the log. */
export interface FrameSource {
  at(seq: number): Frame | undefined;
}

/** Frames that go out as one write, and those between and after them that a filter drops. */
export interface JoinedFrames {
  /** Null when the filter drops them all. */
  readonly chunk: Chunk | null;
  /** How many frames the chunk holds, and the number of the last one. */
  readonly count: number;
  readonly lastSentSeq: number;
  /** The last frame that was looked at: where a connection stands that was sent the chunk. */
  readonly end: { readonly ms: number; readonly seq: number };
}

/** What the source has from this number on, as far as one write goes. There must be a frame of that number. */
export function joinFrames(source: FrameSource, fromSeq: number, passes: EventPredicate | null): JoinedFrames {
  const frames: Frame[] = [];
  let bytes = 0;
  let last: Frame | undefined;
  for (let seq = fromSeq; ; seq += 1) {
    const frame = source.at(seq);
    if (frame === undefined) break;
    const isDropped = passes !== null && !passes(frame);
    // A frame that is larger by itself is a write of its own.
    if (!isDropped && bytes > 0 && bytes + frame.bytes.length > writeMaxBytes) break;
    last = frame;
    if (isDropped) continue;
    frames.push(frame);
    bytes += frame.bytes.length;
  }
  if (last === undefined) throw new Error('nothing to join');
  const end = { ms: last.ms, seq: last.seq };
  return { chunk: toChunk(frames), count: frames.length, lastSentSeq: frames.at(-1)?.seq ?? 0, end };
}

function toChunk(frames: readonly Frame[]): Chunk | null {
  const [first] = frames;
  if (first === undefined) return null;
  return new Chunk(frames.length === 1 ? first.bytes : Buffer.concat(frames.map(({ bytes }) => bytes)));
}

/** A page of the log, by the numbers of its frames. */
export function toFrameSource(page: readonly Frame[]): FrameSource {
  const firstSeq = page[0]?.seq ?? 0;
  return { at: (seq) => page[seq - firstSeq] };
}
