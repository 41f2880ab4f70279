import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { type Chunk, lastChunk, type Sink } from './fan-out/chunk.ts';

// The socket of an open stream: opened by the HTTP server, taken away from it, then written to directly (ADR 3). This
// relies on parts of Node that are not documented. stream-socket.test.ts names the version that it was tried with.
// Three files of `http` know of it: connection-limits.ts listens again after the `close` that `takeSocketFromHttp`
// emits, and answer-failure.ts and create-server.ts look for the response of a socket.

/**
 * Opens an event stream through fastify-sse-v2 and sends `opening`, its first messages. Headers and messages leave as
 * one write.
 *
 * The plugin hijacks the reply, sends the headers and pipes a source of messages into the response. Only its headers
 * are used. This function destroys the source at once: a message that goes through it costs several promises, and the
 * stream would keep them.
 *
 * Resolves to null if the client has left.
 */
export async function openResponse(reply: FastifyReply, opening: Buffer): Promise<Socket | null> {
  const response = reply.raw;
  // The client left while the route prepared the stream. The response emits no second `close` and accepts no bytes.
  // `hijack` keeps Fastify from sending a response.
  if (response.destroyed) {
    reply.hijack();
    return null;
  }
  const corkedSocket = response.socket;
  corkedSocket?.cork();
  response.once('pipe', (source: Readable) => {
    source.unpipe(response);
    source.destroy();
  });
  // The plugin always says `keep-alive`. HTTP/1.0 has no chunks: the stream ends with its connection.
  if (!response.shouldKeepAlive || response.req.httpVersion === '1.0') {
    const flushHeaders = response.flushHeaders.bind(response);
    response.flushHeaders = () => {
      response.setHeader('connection', 'close');
      flushHeaders();
    };
  }
  // Makes the plugin send the headers. The message itself is lost with the source.
  reply.sse({});
  response.write(opening);
  corkedSocket?.uncork();
  // A pipelined response (RFC 9112, section 9.3.2) gets the socket when the responses before it have ended.
  if (response.socket === null) await Promise.race([once(response, 'socket'), once(response, 'close')]);
  const { socket } = response;
  return socket === null || socket.destroyed ? null : socket;
}

/**
 * Takes the connection of an open stream away from Node's HTTP server, so that an idle stream costs little more than
 * its socket. Resolves to false if the client has left.
 *
 * Node keeps a parser, the request and the response of each connection until it closes: two thirds of the memory of an
 * idle stream. So this function emits `close` on the socket, which makes the server free them, and removes all
 * listeners. The socket stays open, and still counts as a connection of the server.
 *
 * A client that has sent another request on this connection is disconnected: its response could never begin.
 */
export async function takeSocketFromHttp(response: ServerResponse, socket: Socket): Promise<boolean> {
  const { req: request } = response;
  // Node takes a request that was not read to its end for an aborted one, and destroys the socket.
  if (!request.readableEnded) {
    request.resume();
    await Promise.race([once(request, 'end'), once(request, 'close')]);
  }
  if (socket.destroyed) return false;
  response.detachSocket(socket);
  emitCloseWithoutStackTrace(socket);
  socket.removeAllListeners();
  // A socket without this listener would end the process. It closes itself after an error.
  socket.on('error', () => undefined);
  // Like Node's HTTP server: a client that closes its half has left.
  socket.on('end', () => socket.end());
  // Reads and drops what the client sends. Without reading, its end would not be noticed.
  socket.resume();
  return !socket.destroyed;
}

/**
 * On `close`, Node's HTTP server creates an error for the request, which nobody reads. Its stack trace would cost a
 * sixteenth of the time to open a stream.
 */
function emitCloseWithoutStackTrace(socket: Socket): void {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    socket.emit('close', false);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
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

interface SocketSinkOptions {
  /** Whether the body of the response is chunked. It is not for an HTTP/1.0 client. */
  readonly isChunked: boolean;
  /** How long `end` waits for the client, in milliseconds. */
  readonly endWithinMs?: number;
}

/**
 * Writes to the socket of an open stream (ADR 3).
 *
 * Node's `ServerResponse` would add the HTTP chunk framing for each connection; the sink shares the framed bytes. No
 * response may write to the socket any more.
 */
export class SocketSink implements Sink {
  readonly #socket: Socket;
  readonly #isChunked: boolean;
  readonly #endWithinMs: number;
  readonly #queue = new ByteQueue();
  #writtenBytes = 0;
  #isBlocked = false;
  #notifyDrained: (() => void) | null = null;

  constructor(socket: Socket, { isChunked, endWithinMs = defaultEndWithinMs }: SocketSinkOptions) {
    this.#socket = socket;
    this.#isChunked = isChunked;
    this.#endWithinMs = endWithinMs;
    socket.setNoDelay(true);
    // The server's socket timeout is for other responses. A stream may be idle for longer, and the hub ends stalled
    // ones.
    socket.setTimeout(0);
  }

  unsentBytes(): number {
    return this.#socket.writableLength + this.#queue.bytes;
  }

  sentBytes(): number {
    return this.#writtenBytes - this.unsentBytes();
  }

  write(chunk: Chunk): void {
    const bytes = this.#selectBytes(chunk);
    this.#writtenBytes += bytes.length;
    if (!this.#isBlocked && bytes.length <= maxPieceBytes) {
      this.#socket.write(bytes);
      this.#checkBlocked();
      return;
    }
    this.#queue.add(bytes);
    if (!this.#isBlocked) this.#writePieces();
  }

  onDrain(listener: () => void): void {
    this.#notifyDrained = listener;
  }

  onClose(listener: () => void): void {
    // A closed socket emits no second `close`.
    if (this.#socket.closed) setImmediate(listener);
    else this.#socket.once('close', listener);
  }

  end(last: Chunk): void {
    const socket = this.#socket;
    if (socket.destroyed) return;
    for (const bytes of this.#queue.dequeue(this.#queue.bytes)) socket.write(bytes);
    socket.write(this.#selectBytes(last));
    if (this.#isChunked) socket.write(lastChunk);
    // Closes both halves when all is sent: the client may never close its half.
    socket.destroySoon();
    const timer = setTimeout(() => socket.destroy(), this.#endWithinMs);
    socket.once('close', () => clearTimeout(timer));
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #selectBytes(chunk: Chunk): Buffer {
    return this.#isChunked ? chunk.wrapped : chunk.plain;
  }

  /** Updates `isBlocked`. If the socket has not accepted all bytes, `continueWriting` is called when it has. */
  #checkBlocked(): boolean {
    this.#isBlocked = this.#socket.writableLength > 0;
    // An empty write completes right after the bytes before it. So writes that are accepted at once need no callback.
    if (this.#isBlocked) this.#socket.write(emptyBuffer, (error) => this.#continueWriting(error));
    return this.#isBlocked;
  }

  #writePieces(): void {
    const socket = this.#socket;
    while (this.#queue.bytes > 0) {
      socket.cork();
      for (const piece of this.#queue.dequeue(maxPieceBytes)) socket.write(piece);
      socket.uncork();
      if (this.#checkBlocked()) return;
    }
  }

  #continueWriting(error?: Error | null): void {
    // The socket has failed. It will close, and `onClose` reports that.
    if (error) return;
    this.#isBlocked = false;
    this.#writePieces();
    if (!this.#isBlocked) this.#notifyDrained?.();
  }
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
