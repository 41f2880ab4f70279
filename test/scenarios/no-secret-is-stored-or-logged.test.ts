import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createPendingSignIns } from '@widget-service/api/caller/oidc/pending-sign-in.ts';
import { sha256Hex } from '@widget-service/shared/domain/token.ts';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { collectOutput, expectNoSecretIn } from '../checkers/no-secret-leaks.ts';
import { type ConsoleClient, signIn, testAdmin } from '../drivers/app/console-client.ts';
import {
  signInAtProvider,
  startIdentityProvider,
  type TestIdentityProvider,
} from '../drivers/app/identity-provider.ts';
import { type ClusterRun, openClusterRun } from '../drivers/cluster/cluster-run.ts';
import { type Environment, type ServiceProcess, startService } from '../drivers/cluster/service-process.ts';
import { openStream } from '../drivers/streams/stream-client.ts';
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
  const { OIDC_ISSUER_URL, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET } = provider.settings;
  const environment = {
    PORT: port,
    PUBLIC_BASE_URL: url,
    OIDC_ISSUER_URL,
    OIDC_CLIENT_ID,
    OIDC_CLIENT_SECRET,
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

/** The secrets that were used, and the bodies of the refusals. */
interface UsedSecrets {
  readonly secrets: Set<string>;
  readonly refusals: string[];
}

/** Uses every kind of secret, both correctly and in the wrong places, as careless clients do. */
async function useEverySecret(url: string, provider: TestIdentityProvider): Promise<UsedSecrets> {
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
  const newUser = await signIn(url, { email, password: passwords[0] });
  keep(listSessionSecrets(newUser).sessionId, listSessionSecrets(newUser).csrfToken);
  const viewer = await newUser.changePassword(...passwords);
  keep(listSessionSecrets(viewer).sessionId, listSessionSecrets(viewer).csrfToken);
  keep(await signInByPassword(url, { email, password: passwords[1] }));
  keep(...(await signInByIdentity(url, provider)));
  keep(...(await useDictatedSecrets(admin)), ...(await useSecretOfSource(admin)));

  // The admin has 3, the grants have 4, the rotated grants 4, the viewer 2 passwords, 4 of two sessions and the id of a
  // third; the identity provider has 7, the sender that dictates secrets 6, the foreign sender 2.
  expect(used.secrets.size).toBe(33);
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

/** Returns the session id that a response sets. */
function readSessionId(response: Response): string | undefined {
  const lines = response.headers.getSetCookie().map((line) => /^service_console=([^;]+)/.exec(line)?.[1]);
  return lines.find((value) => value !== undefined);
}

/** Signs in, and fails to. Returns the session id. */
async function signInByPassword(url: string, { email, password }: { email: string; password: string }) {
  const send = (sent: string) =>
    fetch(`${url}/api/v1/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password: sent }),
    });
  await json(await send('wrong'), 403);
  const response = await send(password);
  await json(response, 200);
  return readSessionId(response);
}

/** Signs in through the provider, and repeats the callback. Returns what only the browser and the servers know. */
async function signInByIdentity(url: string, provider: TestIdentityProvider) {
  provider.setPerson('robin', { email: 'robin@example.com', roles: ['staff'] });
  const started = await fetch(`${url}/api/v1/session/oidc`, { redirect: 'manual' });
  const [cookie = '', sealed = ''] =
    /^service_sign_in_[^=]+=([^;]+)/.exec(started.headers.get('set-cookie') ?? '') ?? [];
  const { OIDC_CLIENT_SECRET: clientSecret } = provider.settings;
  const callback = await signInAtProvider(started.headers.get('location') ?? '', 'robin');
  const state = callback.searchParams.get('state') ?? '';
  const pending = createPendingSignIns(clientSecret, false).parse(cookie, state, new Date());
  const finish = () => fetch(callback, { headers: { cookie }, redirect: 'manual' });
  const sessionId = readSessionId(await finish());
  await json(await finish(), 403);
  const code = callback.searchParams.get('code') ?? undefined;
  return [sealed, clientSecret, code, sessionId, pending?.state, pending?.nonce, pending?.codeVerifier];
}

/** Lets a sender dictate the signing secret of an integration, twice, and uses it. Returns the tokens and secrets. */
async function useDictatedSecrets(admin: ConsoleClient) {
  const [first, second] = [32, 32].map((bytes) => `whsec_${randomBytes(bytes).toString('base64')}`) as [string, string];
  const create = { name: 'shop', signature: 'standard-webhooks', signingSecret: first };
  const created = await json(await admin.request('POST', '/api/v1/integrations', create), 201);
  await sendSigned(created.url, first, { kind: 'updated', occurredAt: new Date().toISOString() });
  const rotation = { overlapSeconds: 60, signingSecret: second };
  const rotated = await json(await admin.request('POST', `/api/v1/integrations/${created.id}/rotate`, rotation), 200);
  await sendSigned(rotated.url, second, { kind: 'updated', occurredAt: new Date().toISOString() });
  // Without the prefix: what is stored or printed could be the key alone.
  return [created.token, first, first.slice('whsec_'.length), rotated.token, second, second.slice('whsec_'.length)];
}

/** Lets a foreign sender send a hook, and one with a wrong signature. Returns its token and its secret. */
async function useSecretOfSource(admin: ConsoleClient) {
  const secret = `a secret of GitHub ${randomUUID()}`;
  const source = { preset: 'github', secrets: [secret], mapping: { kind: { value: 'updated' } } };
  const { url, token } = await json(await admin.request('POST', '/api/v1/integrations', { name: 'code', source }), 201);
  const send = async (key: string) => {
    const signed = { 'x-hub-signature-256': `sha256=${createHmac('sha256', key).update('{}').digest('hex')}` };
    const headers = { 'content-type': 'application/json', 'x-github-delivery': randomUUID(), ...signed };
    return (await fetch(url, { method: 'POST', headers, body: '{}' })).text();
  };
  expect([await send(secret), await send('wrong')]).toEqual(['', expect.stringContaining('invalid-hook-signature')]);
  return [token, secret];
}

async function sendSigned(url: string, signingSecret: string, hook: object): Promise<void> {
  const body = JSON.stringify(hook);
  const [id, at] = [`msg_${randomUUID()}`, new Date()];
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': `${Math.floor(at.getTime() / 1_000)}`,
      'webhook-signature': new Webhook(signingSecret).sign(id, at, body),
    },
    body,
  });
  expect(response.status).toBe(202);
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
  const hook = { kind: 'retired', occurredAt: new Date().toISOString(), widgetId };
  await sendSigned(integration.url, integration.signingSecret, hook);
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
    [`/api/v1/session/oidc/callback?code=${text}&state=${text}`, { headers: { cookie: `service_sign_in=${text}` } }],
    [`/api/v1/session/oidc/callback?error=${text}&error_description=${text}`],
    [
      '/api/v1/session',
      {
        method: 'POST',
        headers: { ...jsonType, cookie: `service_console=${text}` },
        body: '{"email":"a@b","password":"x"}',
      },
    ],
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
