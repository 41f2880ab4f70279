import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePort } from '../drivers/tools/free-port.ts';

/** A TCP proxy between clients and a server. A test can damage the connection without touching the server. */
export interface TcpProxy {
  readonly port: number;
  /** Closes every connection, and each new one at once, until `mend`. */
  cut(): void;
  /** Closes every connection and refuses new ones until `mend`, as if the server were not running. */
  refuse(): Promise<void>;
  /** Keeps connections open and accepts new ones, but forwards nothing until `mend`. Then all bytes arrive, late. */
  freeze(): void;
  /**
   * Drops the bytes of one direction until `mend`, and neither end notices. A connection that lost bytes never
   * recovers. Only new connections work after `mend`.
   */
  swallow(direction: Direction): void;
  /**
   * Forwards the next `times` matching requests, but closes the connection instead of forwarding the reply. So the
   * server has executed the request, and the client does not know. `isMatching` gets the bytes of a request as Latin-1
   * text.
   */
  cutReplies(times: number, isMatching?: (request: string) => boolean): void;
  /** The number of replies that were cut so far. */
  readonly repliesCut: number;
  /** Ends every kind of damage. */
  mend(): Promise<void>;
  /** Sends new connections to another port of the same host. Open connections stay with their server. */
  redirectTo(port: number): void;
  close(): Promise<void>;
}

type Direction = 'to-server' | 'to-client';

interface Target {
  readonly host: string;
  readonly port: number;
}

interface Damage {
  kind: 'none' | 'cut' | 'frozen';
  swallowed: Direction | null;
  repliesToCut: number;
  isMatching: (request: string) => boolean;
  repliesCut: number;
}

export async function openTcpProxy({ host, port: firstPort }: Target): Promise<TcpProxy> {
  let targetPort = firstPort;
  const damage: Damage = { kind: 'none', swallowed: null, repliesToCut: 0, isMatching: () => true, repliesCut: 0 };
  const sockets = new Set<Socket>();
  const accept = (client: Socket) => {
    if (damage.kind === 'cut') client.destroy();
    else connectSockets(client, connect(targetPort, host), damage, sockets);
  };
  const port = await freePort();
  let server: Server | null = await listen(port, accept);
  const stopListening = async () => {
    const closing = server;
    server = null;
    closing?.close();
    for (const socket of sockets) socket.destroy();
    if (closing !== null) await once(closing, 'close');
  };
  return {
    port,
    get repliesCut() {
      return damage.repliesCut;
    },
    cut: () => {
      damage.kind = 'cut';
      for (const socket of sockets) socket.destroy();
    },
    refuse: stopListening,
    freeze: () => {
      damage.kind = 'frozen';
      for (const socket of sockets) socket.pause();
    },
    swallow: (direction) => {
      damage.swallowed = direction;
    },
    cutReplies: (times, isMatching = () => true) => {
      damage.repliesToCut = times;
      damage.isMatching = isMatching;
    },
    mend: async () => {
      Object.assign(damage, { kind: 'none', swallowed: null, repliesToCut: 0 });
      server ??= await listen(port, accept);
      for (const socket of sockets) socket.resume();
    },
    redirectTo: (other) => {
      targetPort = other;
    },
    close: stopListening,
  };
}

/** Forwards the bytes of both sides, as far as the damage allows. */
function connectSockets(client: Socket, upstream: Socket, damage: Damage, sockets: Set<Socket>): void {
  /** After a loss in a direction, no later bytes of that direction may arrive. */
  const hasLost = { 'to-server': false, 'to-client': false };
  let isReplyDoomed = false;
  const forward = (direction: Direction, bytes: Buffer, to: Socket) => {
    if (damage.swallowed === direction) hasLost[direction] = true;
    if (!hasLost[direction]) to.write(bytes);
  };
  client.on('data', (bytes) => {
    if (damage.repliesToCut > 0 && !isReplyDoomed && damage.isMatching(bytes.toString('latin1'))) {
      isReplyDoomed = true;
      damage.repliesToCut -= 1;
    }
    forward('to-server', bytes, upstream);
  });
  upstream.on('data', (bytes) => {
    if (!isReplyDoomed) return forward('to-client', bytes, client);
    damage.repliesCut += 1;
    upstream.destroy();
    client.destroy();
  });
  for (const [socket, other] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      other.destroy();
    });
    if (damage.kind === 'frozen') socket.pause();
  }
}

async function listen(port: number, onConnection: (socket: Socket) => void): Promise<Server> {
  const server = createServer(onConnection);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
