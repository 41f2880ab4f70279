import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { type Db, MongoServerError } from 'mongodb';
import { expect, test } from 'vitest';
import { createMongoDatabase, isRefusedSetting, MongoUnreachableError, openMongo } from './client.ts';
import { listPartitionCount } from './mongo-partition-counts.ts';

const weakeningOptions =
  'w=1&journal=false&wtimeoutMS=1&readConcernLevel=local&readPreference=secondary&readPreferenceTags=dc:far' +
  '&retryWrites=false&socketTimeoutMS=0&serverSelectionTimeoutMS=90000&waitQueueTimeoutMS=90000&maxPoolSize=1';

test('createMongoDatabase overrides the options of the connection string on which its promise depends, no others', async () => {
  const { client, db } = createMongoDatabase({
    MONGODB_URL: `mongodb://127.0.0.1:1/orders?${weakeningOptions}`,
  });
  expect(db.databaseName).toBe('orders');
  const collection = db.collection('widgets');
  for (const holder of [db, collection]) {
    expect(holder.readPreference).toMatchObject({ mode: 'primary', tags: undefined });
    expect(holder.readConcern).toMatchObject({ level: 'majority' });
    expect(holder.writeConcern).toMatchObject({ w: 'majority', journal: true, wtimeoutMS: 2_000 });
  }
  expect(client.options).toMatchObject({
    retryWrites: false,
    socketTimeoutMS: 25_000,
    serverSelectionTimeoutMS: 1500,
    waitQueueTimeoutMS: 1500,
    maxPoolSize: 1,
  });
  await client.close();
});

test('openMongo rejects with MongoUnreachableError when the server does not answer within startTimeoutMs', async () => {
  const start = performance.now();
  const opening = openMongo({ MONGODB_URL: 'mongodb://127.0.0.1:1/', startTimeoutMs: 400 });
  await expect(opening).rejects.toThrow(MongoUnreachableError);
  expect(performance.now() - start).toBeLessThan(2500);
});

test('openMongo tries again when connections are reset, and then names the network as the reason', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.resetAndDestroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const opening = openMongo({
    MONGODB_URL: `mongodb://127.0.0.1:${port}/`,
    startTimeoutMs: 400,
  });
  await expect(opening).rejects.toThrow(
    expect.objectContaining({ exitCode: 69, message: expect.stringMatching(/ECONNRESET|closed/) }),
  );
  server.close();
});

test('createMongoDatabase rejects a malformed connection string without quoting it', () => {
  for (const url of ['mongodb://user:topsecret@@/bad host', 'mongodb://user:topsecret@db/?readPrefrence=primary']) {
    const create = () => createMongoDatabase({ MONGODB_URL: url });
    expect(create).toThrow(expect.objectContaining({ exitCode: 78, message: expect.stringMatching(/^MONGODB_URL: /) }));
    expect(create).not.toThrow(/topsecret/);
  }
});

test('createMongoDatabase uses every address of a replica set', async () => {
  const url = 'mongodb://user:pass@m1:27017,m2:27017,m3:27017/?replicaSet=rs0';
  const { client, db } = createMongoDatabase({ MONGODB_URL: url });
  expect(db.databaseName).toBe('widgets');
  expect(client.options.hosts.map(String)).toEqual(['m1:27017', 'm2:27017', 'm3:27017']);
  await client.close();
});

test.each(['heartbeatFrequencyMS', 'maxIdleTimeMS', 'localThresholdMS'])(
  'openMongo refuses a %s that a timer cannot hold',
  async (name) => {
    const url = `mongodb://127.0.0.1:1/?${name}=3000000000`;
    const opening = openMongo({ MONGODB_URL: url, startTimeoutMs: 60_000 });
    const message = expect.stringMatching(`^MONGODB_URL: ${name} is 3000000000`);
    await expect(opening).rejects.toThrow(expect.objectContaining({ exitCode: 78, message }));
  },
);

test.each([
  ['a file that does not exist', 'tlsCAFile=/absent'],
  ['a folder', `tlsCAFile=${encodeURIComponent(tmpdir())}`],
  ['a key that is a folder', `tlsCertificateKeyFile=${encodeURIComponent(tmpdir())}`],
  ['a file without a certificate', `tlsCAFile=${encodeURIComponent(fileURLToPath(import.meta.url))}`],
  ['a key file that does not exist', 'tlsCertificateKeyFile=/absent'],
  ['a key file without a key', `tlsCertificateKeyFile=${encodeURIComponent(fileURLToPath(import.meta.url))}`],
])('openMongo refuses %s at once, with code 78 and without the password', async (_, option) => {
  const url = `mongodb://user:topsecret@127.0.0.1:1/?tls=true&${option}`;
  const opening = openMongo({ MONGODB_URL: url, startTimeoutMs: 60_000 });
  const message = expect.stringMatching(/^MONGODB_URL: (?!.*topsecret)/);
  await expect(opening).rejects.toThrow(expect.objectContaining({ exitCode: 78, message }));
});

const notAuthorized =
  'not authorized on widgets to execute command { findAndModify: "partitions", query: { _id: "hooks" }, new: true, ' +
  'upsert: true, maxTimeMS: 2000, lsid: { id: UUID("11111111-1111-4111-8111-111111111111") }, $db: "widgets" }';

test.each([
  [13, notAuthorized, /permission that the service needs: not authorized on widgets .* findAndModify/],
  [8000, 'user is not allowed to do action [insert] on [widgets.partitions]', /do action \[insert\]/],
  [18, 'Authentication failed.', /user name or password: Authentication failed/],
  [8000, 'bad auth : authentication failed', /user name or password: bad auth/],
])(
  'the first write of a start that MongoDB answers with %i, %s, is refused with 78 and that reason',
  async (...given) => {
    const [code, message, reason] = given;
    const findOneAndUpdate = () => Promise.reject(new MongoServerError({ code, message }));
    const db = { collection: () => ({ findOneAndUpdate }) } as unknown as Db;
    const refused = expect.objectContaining({ exitCode: 78, message: expect.stringMatching(reason) });
    await expect(listPartitionCount(db, 4)).rejects.toThrow(refused);
    await expect(listPartitionCount(db, 4)).rejects.toThrow(/^.{0,280}$/);
  },
);

test('a full quota of MongoDB Atlas is no refusal of the URL', () => {
  const message = 'you are over your space quota, using 513 MB of 512 MB';
  expect(isRefusedSetting(new MongoServerError({ code: 8000, message }))).toBe(false);
});
