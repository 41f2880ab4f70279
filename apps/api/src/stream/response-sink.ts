import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { type Chunk, lastChunk } from './chunk.ts';
import type { StreamMessage } from './frame.ts';

/**
 * Opens an event stream through fastify-sse-v2 and takes its socket over once the opening messages are written.
 *
 * The plugin hijacks the reply, sends the headers and pipes a source of its own into the response. The source is
 * unpiped and destroyed as soon as it has given the opening messages, so that an idle stream costs no more than its
 * socket. The plugin writes message by message: response and socket are corked meanwhile, and headers and messages
 * leave as one chunk and one write. Null when the client left before or meanwhile.
 */
export async function takeOverResponse(
  reply: FastifyReply,
  messages: readonly StreamMessage[],
): Promise<Socket | null> {
  const response = reply.raw;
  // What was closed while the stream was prepared will not say so again, and takes nothing.
  if (response.destroyed) {
    reply.hijack();
    return null;
  }
  const corked = response.socket;
  corked?.cork();
  response.cork();
  const written = new Promise<Readable>((resolve) => {
    response.once('pipe', (source: Readable) => {
      let left = messages.length;
      source.on('data', () => {
        left -= 1;
        if (left === 0) resolve(source);
      });
    });
  });
  const left = once(response, 'close').then(() => null);
  for (const message of messages) reply.sse(message);
  const source = await Promise.race([written, left]);
  response.uncork();
  corked?.uncork();
  if (source === null) return null;
  source.unpipe(response);
  source.destroy();
  // A response behind another one on its connection gets the socket later.
  if (response.socket === null) await Promise.race([once(response, 'socket'), left]);
  const { socket } = response;
  return socket === null || socket.destroyed ? null : socket;
}

/** Where a connection's bytes go. */
export interface Sink {
  /** Bytes handed over that the client, or the system on its behalf, has not taken yet. */
  unsentBytes(): number;
  /** Bytes taken so far. What is taken of a write is seen piece by piece, not only when all of it is. */
  sentBytes(): number;
  write(chunk: Chunk): void;
  /** Called whenever everything was taken that could not be taken at once. */
  onDrain(listener: () => void): void;
  onClose(listener: () => void): void;
  /** Sends what is left, then ends the response and closes the connection; after a while also where it is not taken. */
  end(last: Chunk): void;
  /** Ends without waiting for a client that takes nothing. */
  destroy(): void;
}

/** The socket is handed so much at once: it tells what was taken only when all is, and of a slow client it must be seen. */
const pieceBytes = 64 * 1024;
/** For so long an ended stream may be taken, as any other answer. */
const defaultEndWithinMs = 60_000;
const nothing = Buffer.alloc(0);

/**
 * Writes to the socket of a response whose headers are sent. Node's own response would wrap each write anew; here the
 * wrapping is shared. The response must own the socket: one request at a time stands on a connection.
 */
export function createResponseSink(
  response: ServerResponse,
  socket: Socket,
  endWithinMs: number = defaultEndWithinMs,
): Sink {
  const isChunked = response.chunkedEncoding;
  const bytesOf = (chunk: Chunk) => (isChunked ? chunk.wrapped : chunk.plain);
  const waiting = new WaitingBytes();
  let givenBytes = 0;
  let isHeld = false;
  let drained: () => void = () => undefined;
  socket.setNoDelay(true);
  // The bound of other answers: a stream may be quiet for longer, and is ended by the hub when its client stalls.
  socket.setTimeout(0);

  const unsentBytes = () => socket.writableLength + waiting.bytes;

  /** True when the socket did not take it at once; `goOn` is then called when it has. */
  function isHeldNow(): boolean {
    isHeld = socket.writableLength > 0;
    // Taken right after what lies before it. A callback for every write would cost those that are taken at once.
    if (isHeld) socket.write(nothing, goOn);
    return isHeld;
  }

  function writePieces(): void {
    while (waiting.bytes > 0) {
      socket.cork();
      for (const piece of waiting.take(pieceBytes)) socket.write(piece);
      socket.uncork();
      if (isHeldNow()) return;
    }
  }

  function goOn(error?: Error | null): void {
    if (error) return;
    isHeld = false;
    writePieces();
    if (!isHeld) drained();
  }

  return {
    unsentBytes,
    sentBytes: () => givenBytes - unsentBytes(),
    write: (chunk) => {
      const bytes = bytesOf(chunk);
      givenBytes += bytes.length;
      if (!isHeld && bytes.length <= pieceBytes) {
        socket.write(bytes);
        isHeldNow();
        return;
      }
      waiting.add(bytes);
      if (!isHeld) writePieces();
    },
    onDrain: (listener) => {
      drained = listener;
    },
    // A socket that has closed already will not say so again.
    onClose: (listener) => void (socket.closed ? setImmediate(listener) : socket.once('close', listener)),
    end: (last) => {
      if (socket.destroyed) return;
      for (const bytes of waiting.take(waiting.bytes)) socket.write(bytes);
      socket.write(bytesOf(last));
      if (isChunked) socket.write(lastChunk);
      // Not left half open for a client that does not close its own half.
      socket.destroySoon();
      const timer = setTimeout(() => socket.destroy(), endWithinMs);
      socket.once('close', () => clearTimeout(timer));
    },
    destroy: () => void socket.destroy(),
  };
}

/** Buffers in order, as they were given: connections share them, so they are cut, never copied. */
class WaitingBytes {
  readonly #buffers: Buffer[] = [];
  bytes = 0;

  add(buffer: Buffer): void {
    this.#buffers.push(buffer);
    this.bytes += buffer.length;
  }

  /** Takes out at most so many bytes, from the beginning. */
  take(maxBytes: number): Buffer[] {
    const taken: Buffer[] = [];
    let left = maxBytes;
    for (let next = this.#buffers[0]; next !== undefined && left > 0; next = this.#buffers[0]) {
      const buffer = next.subarray(0, left);
      if (buffer.length === next.length) this.#buffers.shift();
      else this.#buffers[0] = next.subarray(left);
      taken.push(buffer);
      left -= buffer.length;
    }
    this.bytes -= maxBytes - left;
    return taken;
  }
}
