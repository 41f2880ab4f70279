import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An HTTP server on a free port of this machine. */
export interface LocalServer extends AsyncDisposable {
  readonly url: string;
  /** Ends every connection. */
  close(): Promise<void>;
}

export async function listenLocally(handle: RequestListener): Promise<LocalServer> {
  const server = createServer(handle);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const close = async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close, [Symbol.asyncDispose]: close };
}
