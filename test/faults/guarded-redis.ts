import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../drivers/tools/free-port.ts';
import { type RedisProcess, startRedis } from './redis-process.ts';
import { createCertificate } from './shipped-proxy.ts';

/** A Redis that demands client certificates on a port with TLS. Its port without TLS is for the operator. */
export interface GuardedRedis {
  readonly redis: RedisProcess;
  /** `rediss://127.0.0.1:<port>/` */
  readonly tlsUrl: string;
  /** Authority, certificate and key of a client, in PEM. */
  readonly tls: Readonly<Record<'REDIS_TLS_CA' | 'REDIS_TLS_CERT', string>>;
  dispose(): Promise<void>;
}

/** A certificate that signed itself is its own authority, and here that of the server and of the client. */
export async function startGuardedRedis(): Promise<GuardedRedis> {
  const folder = await mkdtemp(join(tmpdir(), 'widget-tls-'));
  const { certificateFile, keyFile } = await createCertificate(folder);
  const tlsPort = await freePort();
  const files = ['--tls-cert-file', certificateFile, '--tls-key-file', keyFile, '--tls-ca-cert-file', certificateFile];
  const redis = await startRedis(['--tls-port', `${tlsPort}`, '--tls-auth-clients', 'yes', ...files]);
  const [certificate, key] = await Promise.all([readFile(certificateFile, 'utf8'), readFile(keyFile, 'utf8')]);
  return {
    redis,
    tlsUrl: `rediss://127.0.0.1:${tlsPort}/`,
    tls: { REDIS_TLS_CA: certificate, REDIS_TLS_CERT: certificate + key },
    dispose: async () => {
      await redis.dispose();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
