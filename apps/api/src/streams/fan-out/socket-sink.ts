import type { Socket } from 'node:net';
import { type Chunk, lastChunk } from './chunk.ts';

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

export interface SocketSinkOptions {
  /** Whether the body of the response is chunked. It is not for an HTTP/1.0 client. */
  readonly isChunked: boolean;
  /** How long `end` waits for the client, in milliseconds. 60 s by default. */
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
