import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ClusterOptions, openCluster } from '@widget-service/cluster/open-cluster.ts';
import { afterAll, beforeAll, describe, inject, test } from 'vitest';
import { aCluster, dropDatabaseOf, expectOneTail, useEverything } from '../drivers/cluster/use-cluster-backend.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import { freePort } from '../drivers/tools/free-port.ts';
import { type RedisProcess, startRedis } from '../faults/redis-process.ts';
import { sentinelName } from '../faults/redis-sentinels.ts';
import { createCertificate } from '../faults/shipped-proxy.ts';

/** One certificate is its own authority, and that of every server and of the client. */
describe.runIf(inject('backend') === 'cluster')(
  'client certificates',
  () => {
    let folder: string;
    /** The options of a redis-server that demands client certificates, apart from its port. */
    let tlsFlags: string[];
    let certificates: Readonly<Record<string, string>>;
    const servers: RedisProcess[] = [];
    let sentinel: ChildProcess | null = null;

    /** Its other port, without TLS, is for the test alone. */
    const startTlsRedis = async (...flags: string[]) => {
      const tlsPort = await freePort();
      const redis = await startRedis(['--tls-port', `${tlsPort}`, ...tlsFlags, ...flags]);
      servers.push(redis);
      return { redis, tlsPort };
    };
    const used: ClusterOptions[] = [];
    const toOptions = (located: Readonly<Record<string, string>>): ClusterOptions => {
      const options = aCluster({ ...certificates, EVENTS_READ_REDIS: 'replicas', ...located });
      used.push(options);
      return options;
    };

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'widget-tls-'));
      const { certificateFile, keyFile } = await createCertificate(folder);
      const files = { 'tls-cert-file': certificateFile, 'tls-key-file': keyFile, 'tls-ca-cert-file': certificateFile };
      tlsFlags = Object.entries({ ...files, 'tls-auth-clients': 'yes' }).flatMap(([name, value]) => [
        `--${name}`,
        value,
      ]);
      const [certificate, key] = await Promise.all([readFile(certificateFile, 'utf8'), readFile(keyFile, 'utf8')]);
      certificates = { REDIS_TLS_CA: certificate, REDIS_TLS_CERT: certificate + key };
    });
    afterAll(async () => {
      sentinel?.kill('SIGKILL');
      await Promise.all(servers.map((server) => server.dispose()));
      await rm(folder, { recursive: true, force: true });
      for (const options of used) await dropDatabaseOf(options);
    });

    test('are sent to the Sentinels, to the primary, and to the replica that they name; without, a warning says why', async () => {
      const primary = await startTlsRedis('--tls-replication', 'yes');
      const replica = await startTlsRedis('--tls-replication', 'yes');
      await replica.redis.replicate(primary.tlsPort);
      const port = await freePort();
      const file = join(folder, 'sentinel.conf');
      const monitor = `sentinel monitor ${sentinelName} 127.0.0.1 ${primary.tlsPort} 1`;
      await writeFile(
        file,
        `port 0\ntls-port ${port}\nbind 127.0.0.1\ntls-replication yes\ndir ${folder}\n${monitor}\n`,
      );
      sentinel = spawn('redis-server', [file, '--sentinel', ...tlsFlags], { stdio: 'ignore' });
      await eventually(async () => (await readFile(file, 'utf8')).includes('known-replica'), 'the replica is known');
      const options = toOptions({
        REDIS_URL: `rediss://${sentinelName}/`,
        REDIS_SENTINELS: `rediss://127.0.0.1:${port}`,
      });
      await useEverything(options, () => expectOneTail(replica.redis));

      const reasons: string[] = [];
      const onWarning = (_: string, details: { reason?: string } = {}) => void reasons.push(details.reason ?? '');
      const lacking = { ...options, REDIS_TLS_CERT: null, onWarning };
      const backend = await openCluster(lacking);
      const isExplained = async () =>
        reasons.some((reason) => /sentinels.*(?:certificate required|ECONNRESET)/i.test(reason));
      const closed = () => backend.close();
      await eventually(isExplained, 'a warning says why the Sentinels refuse')
        .finally(closed)
        .catch((error: Error) => {
          throw new Error(`${error.message}; the reasons: ${JSON.stringify(reasons)}`);
        });
    });

    test('are sent to the nodes of a Redis Cluster, to the owner of our keys, and to its replica', async () => {
      const flags = ['--cluster-enabled', 'yes', '--tls-cluster', 'yes', '--tls-replication', 'yes'];
      const owner = await startTlsRedis(...flags);
      const replica = await startTlsRedis(...flags);
      await owner.redis.send('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
      await replica.redis.send('CLUSTER', 'MEET', '127.0.0.1', `${owner.tlsPort}`);
      const ownerId = await owner.redis.send('CLUSTER', 'MYID');
      const knowsOwner = async () => (await replica.redis.send('CLUSTER', 'NODES')).includes(ownerId);
      await eventually(knowsOwner, 'the nodes know each other');
      await replica.redis.send('CLUSTER', 'REPLICATE', ownerId);
      await eventually(() => replica.redis.isInSync(), 'the replica is in sync');
      // The owner names a replica only once that has confirmed a write.
      const isUp = async () => (await owner.redis.send('CLUSTER', 'INFO')).includes('cluster_state:ok');
      await eventually(isUp, 'the owner accepts writes');
      await owner.redis.waitUntilConfirmed();
      const namesReplica = async () => (await owner.redis.send('CLUSTER', 'SLOTS')).includes(`,${replica.redis.port},`);
      await eventually(namesReplica, 'the owner names its replica');
      const url = `rediss://127.0.0.1:${owner.tlsPort},127.0.0.1:${owner.tlsPort}/`;
      await useEverything(toOptions({ REDIS_URL: url }), () => expectOneTail(replica.redis));
    });
  },
  60_000,
);
