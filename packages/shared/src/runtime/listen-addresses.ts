import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import { type AddressInfo, createServer, isIP, type Server } from 'node:net';
import { isAnyAddress } from './host-name.ts';

/** Codes of the system for an address of a family, or of a network, that this machine does not have. */
const absentCodes: readonly unknown[] = ['EADDRNOTAVAIL', 'EAFNOSUPPORT'];

/**
 * Returns the addresses on which a process listens for the value of `HOST`, the most important one first:
 * - `::` is every address of both families, IPv4 and IPv6. Without IPv6 on this machine, it is `0.0.0.0`.
 * - A name is each of its addresses that this machine has, for example both of `localhost`.
 * - Any other address is itself.
 *
 * Rejects with the error of the system if a name cannot be resolved.
 */
export async function resolveListenHost(host: string): Promise<string[]> {
  const plain = host.replace(/^\[(.*)\]$/, '$1');
  if (isIP(plain) === 6 && isAnyAddress(plain)) return [(await isOfThisMachine(plain)) ? plain : '0.0.0.0'];
  if (isIP(plain) !== 0) return [plain];
  const found = [...new Set((await lookup(plain, { all: true })).map(({ address }) => address))];
  const isUsable = await Promise.all(found.map(isOfThisMachine));
  const usable = found.filter((_, index) => isUsable[index]);
  // If no address is usable, listening on the first one fails and gives the reason.
  return usable.length === 0 ? found : usable;
}

/** Tries the address with a free port. */
async function isOfThisMachine(address: string): Promise<boolean> {
  try {
    const probe = createServer();
    await listen(probe, address, 0);
    probe.close();
    return true;
  } catch (error) {
    return !absentCodes.includes((error as NodeJS.ErrnoException).code);
  }
}

/** Listens. Rejects with the error of the system if that fails. */
export async function listen(server: Server, address: string, port: number): Promise<void> {
  server.listen(port, address);
  await once(server, 'listening');
}

/** The listeners of an HTTP server on further addresses. */
export interface FurtherListeners {
  /** Accepts no more connections. Resolves once those that are open have ended. */
  close(): Promise<void>;
}

/**
 * Accepts connections of a listening HTTP server on further addresses, at its port. The server itself handles each of
 * them as if its own address had accepted it, so every time-out, limit and listener of the server covers it: a second
 * HTTP server would need all of them again.
 *
 * Rejects with the error of the system if one address cannot be used; then none is.
 */
export async function listenFurther(server: HttpServer, addresses: readonly string[]): Promise<FurtherListeners> {
  const { port } = server.address() as AddressInfo;
  const listeners: Server[] = [];
  const close = async () => {
    await Promise.all(listeners.map((listener) => new Promise<void>((resolve) => listener.close(() => resolve()))));
  };
  try {
    for (const address of addresses) {
      // The options with which `node:http` creates its own sockets.
      const listener = createServer({ allowHalfOpen: true, noDelay: true });
      listener.on('connection', (socket) => server.emit('connection', socket));
      listener.on('drop', (connection) => server.emit('drop', connection));
      listener.maxConnections = server.maxConnections;
      await listen(listener, address, port);
      listeners.push(listener);
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { close };
}
