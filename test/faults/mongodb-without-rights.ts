import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { BSON, MongoClient } from 'mongodb';

/** A proxy before MongoDB that forbids some commands, as MongoDB does if the user lacks the right. */
export interface MongodbWithoutRights {
  readonly url: string;
  close(): void;
}

const headerBytes = 16;
const opMsg = 2_013;
/** The flags and the kind of the first section precede its document. */
const documentOffset = headerBytes + 5;

export async function openMongodbWithoutRights(
  mongodbUrl: string,
  forbidden: readonly string[],
): Promise<MongodbWithoutRights> {
  const target = new MongoClient(mongodbUrl).options.hosts[0];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(target?.port ?? 27_017, target?.host);
    for (const socket of [client, upstream]) sockets.add(socket.on('error', () => undefined));
    upstream.pipe(client);
    let rest = Buffer.alloc(0);
    client.on('data', (bytes) => {
      rest = Buffer.concat([rest, bytes]);
      while (rest.length >= 4 && rest.length >= rest.readInt32LE()) {
        const message = rest.subarray(0, rest.readInt32LE());
        rest = rest.subarray(message.length);
        const command = readCommand(message);
        if (forbidden.includes(command)) client.write(formatRefusal(message, command));
        else upstream.write(message);
      }
    });
    client.on('close', () => upstream.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = new URL(mongodbUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: url.href,
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

function readCommand(message: Buffer): string {
  if (message.readInt32LE(12) !== opMsg) return '';
  const length = message.readInt32LE(documentOffset);
  return Object.keys(BSON.deserialize(message.subarray(documentOffset, documentOffset + length)))[0] ?? '';
}

function formatRefusal(request: Buffer, command: string): Buffer {
  const errmsg = `not authorized on widgets to execute command { ${command}: "widgets" }`;
  const body = BSON.serialize({ ok: 0, code: 13, codeName: 'Unauthorized', errmsg });
  const head = Buffer.alloc(documentOffset);
  head.writeInt32LE(head.length + body.length);
  head.writeInt32LE(request.readInt32LE(4), 8);
  head.writeInt32LE(opMsg, 12);
  return Buffer.concat([head, body]);
}
