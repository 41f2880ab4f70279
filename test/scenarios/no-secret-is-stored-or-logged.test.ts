import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sha256Hex } from '@widget-service/shared/domain/token.ts';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { collectOutput, expectNoSecretIn } from '../checkers/no-secret-leaks.ts';
import { type ClusterRun, openClusterRun } from '../drivers/cluster-run.ts';
import { type ConsoleClient, signIn, testAdmin } from '../drivers/console-client.ts';
import { type ServiceProcess, startService } from '../drivers/service-process.ts';
import { openStream } from '../drivers/stream-client.ts';
import { type RedisProcess, startRedis } from '../faults/redis-process.ts';

let redis: RedisProcess;
let run: ClusterRun;
let folder: string;
let embedded: ServiceProcess | undefined;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'widget-secrets-'));
  redis = await startRedis();
  run = await openClusterRun({ redisUrl: redis.url });
});
afterAll(async () => {
  await embedded?.stop('SIGKILL');
  await run.dispose();
  await redis.dispose();
  await rm(folder, { recursive: true, force: true });
});

/** The secrets that were used, and the bodies of the refusals. */
interface UsedSecrets {
  readonly secrets: Set<string>;
  readonly refusals: string[];
}

/** Uses every kind of secret, both correctly and in the wrong places, as careless clients do. */
async function useEverySecret(url: string): Promise<UsedSecrets> {
  const used: UsedSecrets = { secrets: new Set([testAdmin.password]), refusals: [] };
  const keep = (...values: (string | undefined)[]) => {
    for (const value of values) if (value !== undefined) used.secrets.add(value);
  };
  const admin = await signIn(url);
  keep(listSessionSecrets(admin).sessionId, listSessionSecrets(admin).csrfToken);

  const issued = await issueAll(admin);
  keep(...issued.secrets);
  await sendToStream(issued);
  for (const path of issued.rotations) {
    const rotated = await json(await admin.request('POST', `${path}/rotate`, { overlapSeconds: 60 }), 200);
    keep(rotated.token, rotated.signingSecret);
  }
  const passwords = [`first ${randomUUID()}`, `second ${randomUUID()}`] as const;
  keep(...passwords);
  const email = `${randomUUID()}@example.com`;
  await json(await admin.request('POST', '/api/v1/users', { email, password: passwords[0], role: 'viewer' }), 201);
  const viewer = await signIn(url, { email, password: passwords[0] });
  keep(listSessionSecrets(viewer).sessionId, listSessionSecrets(viewer).csrfToken);
  const change = { currentPassword: passwords[0], newPassword: passwords[1] };
  expect((await viewer.request('PUT', '/api/v1/session/password', change)).status).toBe(204);
  const personal = await json(await viewer.request('POST', '/api/v1/session/stream'), 201);
  keep(personal.token);

  // The admin has 3, the grants have 4, the rotated grants 4, the viewer 2 passwords, 2 of a session and 1 stream
  // token.
  expect(used.secrets.size).toBe(16);
  for (const secret of used.secrets) used.refusals.push(...(await misuse(url, admin, secret)));
  return used;
}

function listSessionSecrets(client: ConsoleClient) {
  return { sessionId: client.cookie.split('=')[1], csrfToken: client.csrfToken };
}

async function issueAll(admin: ConsoleClient) {
  const create = async (path: string, body: object) => json(await admin.request('POST', `/api/v1/${path}`, body), 201);
  const subscription = await create('subscriptions', { name: 'screen' });
  const integration = await create('integrations', { name: 'factory', signature: 'standard-webhooks' });
  const provision = await create('provision-tokens', { name: 'script' });
  const rotations = [
    `/api/v1/subscriptions/${subscription.id}`,
    `/api/v1/integrations/${integration.id}`,
    `/api/v1/provision-tokens/${provision.id}`,
  ];
  const secrets = [subscription.token, integration.token, integration.signingSecret, provision.token];
  return { subscription, integration, provision, rotations, secrets };
}

/** Sends a create and a hook, and waits until a stream has received both events. */
async function sendToStream({
  subscription,
  integration,
  provision,
}: Awaited<ReturnType<typeof issueAll>>): Promise<void> {
  const stream = await openStream(subscription.url);
  const created = await fetch(new URL('/api/v1/widgets', subscription.url), {
    method: 'POST',
    headers: { authorization: `Bearer ${provision.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'lamp' }),
  });
  const { id: widgetId } = await json(created, 201);
  const body = JSON.stringify({ kind: 'retired', occurredAt: new Date().toISOString(), widgetId });
  const [id, at] = [`msg_${randomUUID()}`, new Date()];
  const hook = await fetch(integration.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': `${Math.floor(at.getTime() / 1_000)}`,
      'webhook-signature': new Webhook(integration.signingSecret).sign(id, at, body),
    },
    body,
  });
  expect(hook.status).toBe(202);
  await stream.until(() => stream.widgetEvents().length === 2, 'both events');
  stream.close();
}

/** Sends a secret in wrong places of requests, and returns the bodies of the refusals. */
async function misuse(url: string, admin: ConsoleClient, secret: string): Promise<string[]> {
  const text = encodeURIComponent(secret);
  const jsonType = { 'content-type': 'application/json' };
  const attempts: [string, RequestInit?][] = [
    [`/api/v1/events/hooks/${text}`, { method: 'POST', headers: jsonType, body: '{}' }],
    [`/api/v1/events/hooks/${text}`, { method: 'PUT' }],
    [`/api/v1/events/${text}x`],
    [`/api/v1/events/${text}/more`],
    [`/api/v1/events/%zz${text}`],
    [`/api/v1/${text}?token=${text}`],
    [`/problems/${text}`],
    [`/api/v1/widgets?state=${text}&asOf=${text}`, { headers: { cookie: admin.cookie } }],
    [`/api/v1/widgets/${text}`, { headers: { cookie: admin.cookie } }],
    ['/api/v1/widgets', { headers: { cookie: `service_console=${text}.` } }],
    ['/api/v1/widgets', { method: 'POST', headers: { authorization: `Bearer x${text}` } }],
    [
      '/api/v1/session',
      { method: 'POST', headers: jsonType, body: JSON.stringify({ email: secret, password: secret }) },
    ],
  ];
  // These refusals may quote the unknown member or parameter. Here the secret must only not be stored or logged.
  await fetch(`${url}/api/v1/widgets?${text}=${text}`, { headers: { cookie: admin.cookie } });
  await fetch(`${url}/api/v1/session`, {
    method: 'POST',
    headers: jsonType,
    body: JSON.stringify({ [secret]: secret }),
  });
  const answers = await Promise.all(attempts.map(([path, init]) => fetch(`${url}${path}`, init)));
  expect(answers.map(({ status }) => status).filter((status) => status < 400 || status === 500)).toEqual([]);
  return Promise.all(answers.map((answer) => answer.text()));
}

// biome-ignore lint/suspicious/noExplicitAny: the scenario asserts what it expects.
async function json(response: Response, status: number): Promise<any> {
  const body = await response.text();
  expect(response.status, body).toBe(status);
  return JSON.parse(body);
}

const fetchMetrics = async (service: ServiceProcess) => (await fetch(`${service.opsUrl}/metrics`)).text();

it('cluster: no secret is in the database, in Redis, in metrics, problem bodies, logs or output', async () => {
  const pod = await run.startApi({ LOG_LEVEL: 'trace' });
  const worker = await run.startWorker({ LOG_LEVEL: 'trace' });
  const { secrets, refusals } = await useEverySecret(pod.url);
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

it('embedded: no secret is in the files, metrics, problem bodies or logs', async () => {
  embedded = await startService('api', {
    DATA_DIR: folder,
    LOG_LEVEL: 'trace',
    ADMIN_EMAIL: testAdmin.email,
    ADMIN_PASSWORD: testAdmin.password,
  });
  const { secrets, refusals } = await useEverySecret(embedded.url);
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
