import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256Hex } from '@widget-service/shared/domain/token.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { collectOutput, expectNoSecretIn } from '../checkers/no-secret-leaks.ts';
import { testAdmin } from '../drivers/app/console-client.ts';
import { startIdentityProvider, type TestIdentityProvider } from '../drivers/app/identity-provider.ts';
import { type ClusterRun, openClusterRun } from '../drivers/cluster/cluster-run.ts';
import { type Environment, type ServiceProcess, startService } from '../drivers/cluster/service-process.ts';
import { useEverySecret } from '../drivers/cluster/use-every-secret.ts';
import { freePort } from '../drivers/tools/free-port.ts';
import { makeSharedFolder } from '../drivers/tools/shared-folder.ts';
import { type RedisProcess, startRedis } from '../faults/redis-process.ts';

let redis: RedisProcess;
let run: ClusterRun;
const folder = await makeSharedFolder();
let embedded: ServiceProcess | undefined;
const providers: TestIdentityProvider[] = [];
beforeAll(async () => {
  redis = await startRedis();
  run = await openClusterRun({ redisUrl: redis.url });
});
afterAll(async () => {
  await embedded?.stop('SIGKILL');
  await run.dispose();
  await redis.dispose();
  await Promise.all(providers.map((provider) => provider.close()));
});

/** Starts an identity provider. Returns it, and the settings of a service that is its client. */
async function openProvider(): Promise<{ provider: TestIdentityProvider; environment: Environment }> {
  const port = String(await freePort());
  const url = `http://127.0.0.1:${port}`;
  const provider = await startIdentityProvider(url);
  providers.push(provider);
  const { issuerUrl, clientId, clientSecret } = provider.options;
  const environment = {
    PORT: port,
    PUBLIC_BASE_URL: url,
    OIDC_ISSUER_URL: issuerUrl,
    OIDC_CLIENT_ID: clientId,
    OIDC_CLIENT_SECRET: clientSecret,
    OIDC_ROLE_MAPPING: 'staff=viewer',
  };
  return { provider, environment };
}

const fetchMetrics = async (service: ServiceProcess) => (await fetch(`${service.opsUrl}/metrics`)).text();

test('cluster: no secret is in the database, in Redis, in metrics, problem bodies, logs or output', async () => {
  const { provider, environment } = await openProvider();
  const pod = await run.startApi({ LOG_LEVEL: 'trace', ...environment });
  const worker = await run.startWorker({ LOG_LEVEL: 'trace' });
  const { secrets, refusals } = await useEverySecret(pod.url, provider);
  await run.waitUntilProcessed();
  const places = {
    database: await run.dumpDatabase(),
    'everything ever written to Redis (queue, event log, control log, limits)': await redis.readAppendOnlyFiles(),
    metrics: `${await fetchMetrics(pod)} ${await fetchMetrics(worker)}`,
    'problem bodies': refusals.join('\n'),
    'logs and output': `${collectOutput(pod)} ${collectOutput(worker)}`,
  };
  for (const [place, text] of Object.entries(places)) expect(text.length, place).toBeGreaterThan(1_000);
  // The database holds digests of these secrets. So this is the place where stored secrets would be.
  expect([...secrets].filter((secret) => places.database.includes(sha256Hex(secret))).length).toBeGreaterThan(5);
  expectNoSecretIn(places, [...secrets]);
});

test('embedded: no secret is in the files, metrics, problem bodies or logs', async () => {
  const { provider, environment } = await openProvider();
  embedded = await startService('api', {
    ...environment,
    DATA_DIR: folder,
    LOG_LEVEL: 'trace',
    ADMIN_EMAIL: testAdmin.email,
    ADMIN_PASSWORD: testAdmin.password,
  });
  const { secrets, refusals } = await useEverySecret(embedded.url, provider);
  const metrics = await fetchMetrics(embedded);
  await embedded.stop('SIGKILL');
  const files = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'latin1')));
  const places = {
    database: files.join(''),
    metrics,
    'problem bodies': refusals.join('\n'),
    logs: collectOutput(embedded),
  };
  for (const [place, text] of Object.entries(places)) expect(text.length, place).toBeGreaterThan(1_000);
  // The database holds digests of these secrets. So this is the place where stored secrets would be.
  expect([...secrets].filter((secret) => places.database.includes(sha256Hex(secret))).length).toBeGreaterThan(5);
  expectNoSecretIn(places, [...secrets]);
});
