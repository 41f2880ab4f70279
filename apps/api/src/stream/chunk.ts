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
