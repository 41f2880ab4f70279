import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Chunk, lastChunk } from './chunk.ts';

/** Where a connection's bytes go. */
export interface Sink {
  /** Bytes handed over that the client has not taken yet. */
  unsentBytes(): number;
  write(chunk: Chunk): void;
  /** Called whenever everything handed over was taken. */
  onDrain(listener: () => void): void;
  onClose(listener: () => void): void;
  /** Sends what is left, then ends the response. */
  end(last: Chunk): void;
  /** Ends without waiting for a client that takes nothing. */
  destroy(): void;
}

/**
 * Writes to the socket of a response whose headers are sent. Node's own response would wrap each write anew; here the
 * wrapping is shared. The response must own the socket: one request at a time stands on a connection.
 */
export function createResponseSink(response: ServerResponse, socket: Socket): Sink {
  const isChunked = response.chunkedEncoding;
  const bytesOf = (chunk: Chunk) => (isChunked ? chunk.wrapped : chunk.plain);
  socket.setNoDelay(true);
  return {
    unsentBytes: () => socket.writableLength,
    write: (chunk) => void socket.write(bytesOf(chunk)),
    onDrain: (listener) => void socket.on('drain', listener),
    // A socket that has closed already will not say so again.
    onClose: (listener) => void (socket.closed ? setImmediate(listener) : socket.once('close', listener)),
    end: (last) => {
      socket.write(bytesOf(last));
      if (isChunked) socket.write(lastChunk);
      socket.end();
    },
    destroy: () => void socket.destroy(),
  };
}
