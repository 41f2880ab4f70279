import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { type Chunk, lastChunk } from './chunk.ts';
import type { StreamMessage } from './frame.ts';

/**
 * Opens an event stream through fastify-sse-v2, writes the opening messages and detaches the socket from the plugin.
 *
 * The plugin hijacks the reply, sends the headers and pipes its own source into the response. As soon as the source has
 * emitted the opening messages, this function unpipes and destroys it, so that an idle stream costs no more than its
 * socket. The plugin writes each message separately. This function corks the response and the socket meanwhile, so the
 * headers and messages leave as one HTTP chunk and one write.
 *
 * Resolves to null if the client has left. `messages` must not be empty.
 */
export async function takeOverResponse(
  reply: FastifyReply,
  messages: readonly StreamMessage[],
): Promise<Socket | null> {
  const response = reply.raw;
  // The client left while the route prepared the stream. The response emits no second `close` and accepts no bytes.
  // `hijack` keeps Fastify from sending a response.
  if (response.destroyed) {
    reply.hijack();
    return null;
  }
  const corkedSocket = response.socket;
  corkedSocket?.cork();
  response.cork();
  const written = new Promise<Readable>((resolve) => {
    response.once('pipe', (source: Readable) => {
      let remaining = messages.length;
      source.on('data', () => {
        remaining -= 1;
        if (remaining === 0) resolve(source);
      });
    });
  });
  const closed = once(response, 'close').then(() => null);
  for (const message of messages) reply.sse(message);
  const source = await Promise.race([written, closed]);
  response.uncork();
  corkedSocket?.uncork();
  if (source === null) return null;
  source.unpipe(response);
  source.destroy();
  // A pipelined response (RFC 9112, section 9.3.2) gets the socket when the responses before it have ended.
  if (response.socket === null) await Promise.race([once(response, 'socket'), closed]);
  const { socket } = response;
  return socket === null || socket.destroyed ? null : socket;
}

/** Where the hub writes the bytes of a connection. */
export interface Sink {
  /** Written bytes that the operating system has not accepted yet. */
  unsentBytes(): number;
  /**
   * Bytes that the operating system has accepted so far. Grows in steps of at most 64 KiB, also within a large write.
   */
  sentBytes(): number;
  /** Writes or queues the chunk; never blocks. The chunk's buffer must not change afterwards. */
  write(chunk: Chunk): void;
  /** Sets the one listener that is called when the unsent bytes have been accepted. */
  onDrain(listener: () => void): void;
  /** Calls `listener` once when the socket closes; soon, but never synchronously, if it has closed already. */
  onClose(listener: () => void): void;
  /** Sends the unsent bytes and `last`, ends the response and closes the connection: after 60 s in any case. */
  end(last: Chunk): void;
  /** Closes the connection at once and drops the unsent bytes. */
  destroy(): void;
}

/**
 * The most bytes in one write. Node reports progress only per completed write, and the sweep must see slow clients
 * progress.
 */
const maxPieceBytes = 64 * 1024;
/**
 * How long a client may take to accept the rest of an ended stream, in milliseconds: as long as for any other response.
 */
const defaultEndWithinMs = 60_000;
const emptyBuffer = Buffer.alloc(0);

/**
 * Creates a sink that writes to the socket of a response whose headers are sent (ADR 3).
 *
 * Node's `ServerResponse` would add the HTTP chunk framing for each connection; the sink shares the framed bytes. The
 * response must own the socket, so that no other response writes to the connection. HTTP/1.0 clients get no framing.
 *
 * `endWithinMs` bounds how long `end` waits for the client, in milliseconds.
 */
export function createResponseSink(
  response: ServerResponse,
  socket: Socket,
  endWithinMs: number = defaultEndWithinMs,
): Sink {
  const isChunked = response.chunkedEncoding;
  const selectBytes = (chunk: Chunk) => (isChunked ? chunk.wrapped : chunk.plain);
  const queue = new ByteQueue();
  let writtenBytes = 0;
  let isBlocked = false;
  let notifyDrained: () => void = () => undefined;
  socket.setNoDelay(true);
  // The server's socket timeout is for other responses. A stream may be idle for longer, and the hub ends stalled ones.
  socket.setTimeout(0);

  const unsentBytes = () => socket.writableLength + queue.bytes;

  /** Updates `isBlocked`. If the socket has not accepted all bytes, `continueWriting` is called when it has. */
  function checkBlocked(): boolean {
    isBlocked = socket.writableLength > 0;
    // An empty write completes right after the bytes before it. So writes that are accepted at once need no callback.
    if (isBlocked) socket.write(emptyBuffer, continueWriting);
    return isBlocked;
  }

  function writePieces(): void {
    while (queue.bytes > 0) {
      socket.cork();
      for (const piece of queue.dequeue(maxPieceBytes)) socket.write(piece);
      socket.uncork();
      if (checkBlocked()) return;
    }
  }

  function continueWriting(error?: Error | null): void {
    // The socket has failed. It will close, and `onClose` reports that.
    if (error) return;
    isBlocked = false;
    writePieces();
    if (!isBlocked) notifyDrained();
  }

  return {
    unsentBytes,
    sentBytes: () => writtenBytes - unsentBytes(),
    write: (chunk) => {
      const bytes = selectBytes(chunk);
      writtenBytes += bytes.length;
      if (!isBlocked && bytes.length <= maxPieceBytes) {
        socket.write(bytes);
        checkBlocked();
        return;
      }
      queue.add(bytes);
      if (!isBlocked) writePieces();
    },
    onDrain: (listener) => {
      notifyDrained = listener;
    },
    // A closed socket emits no second `close`.
    onClose: (listener) => void (socket.closed ? setImmediate(listener) : socket.once('close', listener)),
    end: (last) => {
      if (socket.destroyed) return;
      for (const bytes of queue.dequeue(queue.bytes)) socket.write(bytes);
      socket.write(selectBytes(last));
      if (isChunked) socket.write(lastChunk);
      // Closes both halves when all is sent: the client may never close its half.
      socket.destroySoon();
      const timer = setTimeout(() => socket.destroy(), endWithinMs);
      socket.once('close', () => clearTimeout(timer));
    },
    destroy: () => void socket.destroy(),
  };
}

/** A queue of buffers. Connections share the buffers, so the queue cuts them into views and never copies. */
class ByteQueue {
  readonly #buffers: Buffer[] = [];
  bytes = 0;

  add(buffer: Buffer): void {
    this.#buffers.push(buffer);
    this.bytes += buffer.length;
  }

  /** Removes at most `maxBytes` from the front and returns them as views. */
  dequeue(maxBytes: number): Buffer[] {
    const dequeued: Buffer[] = [];
    let remaining = maxBytes;
    for (let next = this.#buffers[0]; next !== undefined && remaining > 0; next = this.#buffers[0]) {
      const buffer = next.subarray(0, remaining);
      if (buffer.length === next.length) this.#buffers.shift();
      else this.#buffers[0] = next.subarray(remaining);
      dequeued.push(buffer);
      remaining -= buffer.length;
    }
    this.bytes -= maxBytes - remaining;
    return dequeued;
  }
}
