import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePort } from '../drivers/free-port.ts';

/** A wire between a client and a server, which a test may damage without touching the server. */
export interface TcpProxy {
  readonly port: number;
  /** Ends every connection, and ends new ones at once until `mend`. */
  cut(): void;
  /** Ends every connection, and listens no more until `mend`: as a server that is not running. */
  refuse(): Promise<void>;
  /** Keeps connections open, takes new ones, and lets nothing through until `mend`; then all of it arrives, late. */
  freeze(): void;
  /**
   * Takes bytes of one direction and drops them, until `mend`: neither end is told. A connection that has lost bytes
   * never recovers, as one whose route forgot it; only new ones are whole after `mend`.
   */
  swallow(direction: Direction): void;
  /**
   * Lets the next `times` requests that match through to the server, and ends the connection instead of bringing the
   * reply: carried out, and not known to be.
   */
  cutReplies(times: number, matching?: (request: string) => boolean): void;
  /** How many replies were cut so far. */
  readonly repliesCut: number;
  mend(): Promise<void>;
  /** Leads new connections to another port of the same host; those that are open stay where they are. */
  leadTo(port: number): void;
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
  matching: (request: string) => boolean;
  repliesCut: number;
}

export async function openTcpProxy({ host, port: firstPort }: Target): Promise<TcpProxy> {
  let targetPort = firstPort;
  const damage: Damage = { kind: 'none', swallowed: null, repliesToCut: 0, matching: () => true, repliesCut: 0 };
  const sockets = new Set<Socket>();
  const accept = (client: Socket) => {
    if (damage.kind === 'cut') client.destroy();
    else join(client, connect(targetPort, host), damage, sockets);
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
    cutReplies: (times, matching = () => true) => {
      damage.repliesToCut = times;
      damage.matching = matching;
    },
    mend: async () => {
      Object.assign(damage, { kind: 'none', swallowed: null, repliesToCut: 0 });
      server ??= await listen(port, accept);
      for (const socket of sockets) socket.resume();
    },
    leadTo: (other) => {
      targetPort = other;
    },
    close: stopListening,
  };
}

/** Brings what either side says to the other, as far as the damage lets it. */
function join(client: Socket, upstream: Socket, damage: Damage, sockets: Set<Socket>): void {
  /** Once bytes are missing nothing more may come through in that direction. */
  const hasLost = { 'to-server': false, 'to-client': false };
  let isReplyDoomed = false;
  const bring = (direction: Direction, bytes: Buffer, to: Socket) => {
    if (damage.swallowed === direction) hasLost[direction] = true;
    if (!hasLost[direction]) to.write(bytes);
  };
  client.on('data', (bytes) => {
    if (damage.repliesToCut > 0 && !isReplyDoomed && damage.matching(bytes.toString('latin1'))) {
      isReplyDoomed = true;
      damage.repliesToCut -= 1;
    }
    bring('to-server', bytes, upstream);
  });
  upstream.on('data', (bytes) => {
    if (!isReplyDoomed) return bring('to-client', bytes, client);
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
