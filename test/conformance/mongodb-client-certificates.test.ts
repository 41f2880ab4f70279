import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';
import { openMongo } from '@widget-service/cluster/mongo/client.ts';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { mongodbUrlOf } from '../drivers/cluster/servers.ts';
import { type Certificate, createCertificate } from '../faults/shipped-proxy.ts';

/** A TLS server that demands client certificates stands before MongoDB. */
describe.runIf(inject('backend') === 'cluster')('a MongoDB that demands client certificates', () => {
  let mongodbUrl: string;
  let folder: string;
  let certificate: Certificate;
  let server: Server;

  beforeAll(async () => {
    mongodbUrl = mongodbUrlOf(`t-${randomBytes(8).toString('hex')}`);
    folder = await mkdtemp(join(tmpdir(), 'widget-mongodb-tls-'));
    certificate = await createCertificate(folder);
    const [cert, key] = await Promise.all([
      readFile(certificate.certificateFile, 'utf8'),
      readFile(certificate.keyFile, 'utf8'),
    ]);
    const target = new MongoClient(mongodbUrl).options.hosts[0];
    server = createServer({ cert, key, ca: cert, requestCert: true, rejectUnauthorized: true }, (client) => {
      const upstream = connect(target?.port ?? 27_017, target?.host);
      for (const socket of [client, upstream]) socket.on('error', () => undefined);
      client.pipe(upstream).pipe(client);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterAll(async () => {
    server.close();
    await rm(folder, { recursive: true, force: true });
    const mongo = await new MongoClient(mongodbUrl).connect();
    await mongo.db().dropDatabase();
    await mongo.close();
  });

  const toUrl = (options: Readonly<Record<string, string>>) => {
    const url = new URL(mongodbUrl);
    url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    for (const [name, value] of Object.entries({ tls: 'true', ...options })) url.searchParams.set(name, value);
    return url.href;
  };

  test('is used with `tlsCAFile` and `tlsCertificateKeyFile`', async () => {
    const files = { tlsCAFile: certificate.certificateFile, tlsCertificateKeyFile: certificate.bothFile };
    const { db, close } = await openMongo({ MONGODB_URL: toUrl(files) });
    try {
      await db.collection<{ _id: string }>('any').insertOne({ _id: 'one' });
      expect(await db.collection('any').countDocuments()).toBe(1);
    } finally {
      await close();
    }
  });

  test.each([
    ['a certificate', () => ({ tlsCAFile: certificate.certificateFile }), /\(TLS: .*certificate required\)/],
    ['the authority', () => ({ tlsCertificateKeyFile: certificate.bothFile }), /self-signed certificate/],
  ])('without %s does not answer, and the message says why', async (_, listOptions, message) => {
    const opening = openMongo({ MONGODB_URL: toUrl(listOptions()), startTimeoutMs: 1_000 });
    await expect(opening).rejects.toThrow(message);
  });
});
