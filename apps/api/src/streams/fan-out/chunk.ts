import type { EventPredicate } from '@widget-service/shared/domain/event-filter.ts';
import type { Frame } from './frame.ts';

/**
 * Bytes to write to many connections, with and without the HTTP/1.1 chunk framing (RFC 9112, section 7.1). All
 * connections share the framed bytes.
 */
export class Chunk {
  /** The bytes without framing, for HTTP/1.0 clients. */
  readonly plain: Buffer;
  #wrapped: Buffer | undefined;

  constructor(plain: Buffer) {
    this.plain = plain;
  }

  /** The bytes as one HTTP/1.1 chunk: size in hexadecimal, CRLF, data, CRLF. Made on first use. */
  get wrapped(): Buffer {
    this.#wrapped ??= Buffer.concat([Buffer.from(`${this.plain.length.toString(16)}\r\n`), this.plain, crlf]);
    return this.#wrapped;
  }
}

const crlf = Buffer.from('\r\n');

/** Ends a chunked body: the last chunk and an empty trailer section (RFC 9112, section 7.1). */
export const lastChunk = Buffer.from('0\r\n\r\n');

/** Where the hub writes the bytes of a connection. */
export interface Sink {
  /** Written bytes that the operating system has not accepted yet. */
  unsentBytes(): number;
  /** Bytes that the operating system has accepted so far. A large write is counted in steps of at most 64 KiB. */
  sentBytes(): number;
  /** Writes or queues the chunk; never blocks. The chunk's buffer must not change afterwards. */
  write(chunk: Chunk): void;
  /** Sets the one listener that is called when the unsent bytes have been accepted. */
  onDrain(listener: () => void): void;
  /** Calls `listener` once when the socket closes; soon, but never synchronously, if it has closed already. */
  onClose(listener: () => void): void;
  /** Sends the unsent bytes and `last`, then closes the connection: after 60 s in any case. */
  end(last: Chunk): void;
  /** Closes the connection at once and drops the unsent bytes. */
  destroy(): void;
}

/** The most frame bytes in one write. With the chunk framing they fit into the 64 KiB that a sink writes at once. */
const maxWriteBytes = 63 * 1024;

/** Frames whose numbers have no holes: the ring, or a page of the log. */
interface FrameSource {
  /** The frame with this number; undefined if the source does not hold it. */
  at(seq: number): Frame | undefined;
}

/** Frames joined into one write, and the position of the cursor after them. */
export interface JoinedFrames {
  /** Null if the filter drops every frame. */
  readonly chunk: Chunk | null;
  /** How many frames the chunk holds. */
  readonly count: number;
  /** The number of the last frame in the chunk; 0 if there is no chunk. */
  readonly lastSentSeq: number;
  /** The position of the last frame examined, sent or dropped by the filter. The cursor moves here. */
  readonly end: { readonly ms: number; readonly seq: number };
}

/**
 * Joins the frames of `source` that pass the filter into one chunk, from `fromSeq` on, up to 63 KiB. Skips dropped
 * frames, which do not count for the limit.
 *
 * A single larger frame is a write of its own. `passes` is null if every frame passes. Throws if `source` has no frame
 * `fromSeq`.
 */
export function joinFrames(source: FrameSource, fromSeq: number, passes: EventPredicate | null): JoinedFrames {
  const frames: Frame[] = [];
  let bytes = 0;
  let last: Frame | undefined;
  for (let seq = fromSeq; ; seq += 1) {
    const frame = source.at(seq);
    if (frame === undefined) break;
    const isDropped = passes !== null && !passes(frame);
    if (!isDropped && bytes > 0 && bytes + frame.bytes.length > maxWriteBytes) break;
    last = frame;
    if (isDropped) continue;
    frames.push(frame);
    bytes += frame.bytes.length;
  }
  if (last === undefined) throw new Error(`cannot join frames: the source has no frame ${fromSeq}`);
  const end = { ms: last.ms, seq: last.seq };
  return { chunk: toChunk(frames), count: frames.length, lastSentSeq: frames.at(-1)?.seq ?? 0, end };
}

function toChunk(frames: readonly Frame[]): Chunk | null {
  const [first] = frames;
  if (first === undefined) return null;
  return new Chunk(frames.length === 1 ? first.bytes : Buffer.concat(frames.map(({ bytes }) => bytes)));
}

/** Gives access to a page of the log by `seq`. The page must be in order and have no holes. */
export function toFrameSource(page: readonly Frame[]): FrameSource {
  const firstSeq = page[0]?.seq ?? 0;
  return { at: (seq) => page[seq - firstSeq] };
}
