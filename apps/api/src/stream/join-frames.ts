import { Chunk } from './chunk.ts';
import type { Frame } from './frame.ts';
import type { Ring } from './ring.ts';

/** So much is joined into one write at most: more than fills a socket, little enough to see it move. */
const writeMaxBytes = 64 * 1024;

/** Frames that go out as one write. */
export interface JoinedFrames {
  readonly chunk: Chunk;
  /** The last of them: where a connection stands that was sent them. */
  readonly last: Frame;
}

/** What the ring has from this number on, as far as one write goes. There must be a frame of that number. */
export function joinFrom(ring: Ring, fromSeq: number): JoinedFrames {
  const frames: Frame[] = [];
  let bytes = 0;
  for (let seq = fromSeq; bytes < writeMaxBytes; seq += 1) {
    const frame = ring.at(seq);
    if (frame === undefined) break;
    frames.push(frame);
    bytes += frame.bytes.length;
  }
  return join(frames);
}

/** A page of frames as the writes that it makes. */
export function* joinPage(frames: readonly Frame[]): Generator<JoinedFrames> {
  let part: Frame[] = [];
  let bytes = 0;
  for (const frame of frames) {
    part.push(frame);
    bytes += frame.bytes.length;
    if (bytes < writeMaxBytes) continue;
    yield join(part);
    part = [];
    bytes = 0;
  }
  if (part.length > 0) yield join(part);
}

function join(frames: readonly Frame[]): JoinedFrames {
  const last = frames.at(-1);
  if (last === undefined) throw new Error('nothing to join');
  const bytes = frames.length === 1 ? last.bytes : Buffer.concat(frames.map((frame) => frame.bytes));
  return { chunk: new Chunk(bytes), last };
}
