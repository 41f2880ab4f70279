import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Opens a connection and sends nothing. */
export async function openSocket(port: number, address = '127.0.0.1'): Promise<Socket> {
  const socket = connect(port, address);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

/**
 * Sends bytes unchanged and returns every response until the server closes the connection. Only the first may be to a
 * HEAD.
 */
export async function exchange(port: number, bytes: string | Buffer, address?: string): Promise<RawResponse[]> {
  const socket = await openSocket(port, address);
  const sent = typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes;
  socket.write(sent);
  return parseResponses(await readToEnd(socket), sent.subarray(0, 4).toString() === 'HEAD');
}

/** Reads until either side closes the connection. */
export async function readToEnd(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  if (!socket.closed) await once(socket, 'close');
  return Buffer.concat(chunks);
}

/** Parses consecutive responses. Interim responses (100 Continue) have no body, nor has the first one, to a HEAD. */
export function parseResponses(bytes: Buffer, isFirstToHead = false): RawResponse[] {
  const responses: RawResponse[] = [];
  for (let at = 0; at < bytes.length; ) {
    const headEnd = bytes.indexOf('\r\n\r\n', at);
    if (headEnd === -1) throw new Error(`incomplete response: ${bytes.toString('latin1', at, at + 100)}`);
    const [first = '', ...lines] = bytes.toString('latin1', at, headEnd).split('\r\n');
    const status = /^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1];
    if (status === undefined) throw new Error(`no status line: ${first.slice(0, 100)}`);
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
    );
    const bodyAt = headEnd + 4;
    const hasNoBody = isFirstToHead && responses.length === 0;
    const end = bodyAt + (hasNoBody ? 0 : Number(headers['content-length'] ?? 0));
    responses.push({ status: Number(status), headers, body: bytes.toString('utf8', bodyAt, end) });
    at = end;
  }
  return responses;
}
