/**
 * Measures whether the time of a refusal reveals that a token was valid once. It sends unknown, revoked and expired
 * tokens alternately, over one connection to a service in another process. The figure `first` uses each token for the
 * first time, so the service reads the store. The figure `again` uses cached tokens, so it does not.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mintToken } from '@widget-service/shared/domain/token.ts';
import { type ConsoleClient, signIn, testAdmin } from '../../drivers/app/console-client.ts';
import { openClusterRun } from '../../drivers/cluster/cluster-run.ts';
import { type ServiceProcess, startService } from '../../drivers/cluster/service-process.ts';
import type { Benchmark } from '../benchmark.ts';

/** The number of tokens of each kind, and of requests with each kind. */
const count = Number(process.env.BENCH_SAMPLES ?? 3_000);
const concurrency = 4;
/** Tokens expire this long after their creation. It is long, because an expiry must be in the future when it is set. */
const expiresAfterMs = 20_000;
/** How often a preparing request is sent while a busy store answers 503. */
const attemptsMax = 20;
const wrongKinds = ['unknown', 'revoked', 'expired'] as const;
type WrongKind = (typeof wrongKinds)[number];
type WrongTokens = Readonly<Record<WrongKind, readonly string[]>>;

const addresses = {
  hook: { collection: 'integrations', prefix: 'wht', method: 'POST', path: '/api/v1/events/hooks/' },
  stream: { collection: 'subscriptions', prefix: 'wst', method: 'GET', path: '/api/v1/events/' },
} as const;
type Address = (typeof addresses)[keyof typeof addresses];

const noLimits = { HOOK_RATE_PER_SECOND: '0', API_RATE_PER_SECOND: '0' };

/** @public Called by run-benchmark.ts. */
export const run: Benchmark['run'] = async (report) => {
  const { BENCH_BACKEND, MONGODB_URL, REDIS_URL } = process.env;
  if (BENCH_BACKEND !== 'cluster') await onEmbedded((api) => measureAll(api, 'embedded', report));
  const hasServers = MONGODB_URL !== undefined && REDIS_URL !== undefined;
  if (BENCH_BACKEND !== 'embedded' && hasServers) await onCluster((api) => measureAll(api, 'cluster', report));
};

async function onEmbedded(measure: (api: ServiceProcess) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'widget-bench-'));
  const api = await startService('api', {
    DATA_DIR: folder,
    ADMIN_EMAIL: testAdmin.email,
    ADMIN_PASSWORD: testAdmin.password,
    ...noLimits,
  });
  try {
    await measure(api);
  } finally {
    await api.stop();
    rmSync(folder, { recursive: true });
  }
}

async function onCluster(measure: (api: ServiceProcess) => Promise<void>): Promise<void> {
  const cluster = await openClusterRun();
  try {
    await measure(await cluster.startApi(noLimits));
  } finally {
    await cluster.dispose();
  }
}

async function measureAll(
  api: ServiceProcess,
  backend: 'embedded' | 'cluster',
  report: Parameters<Benchmark['run']>[0],
): Promise<void> {
  const client = await signIn(api.url);
  for (const [name, address] of Object.entries(addresses)) {
    const tokens = await prepareTokens(client, address);
    for (const use of ['first', 'again'] as const) {
      const medians = await measureTimes(api.url, address, use === 'first' ? tokens : takeFirstOfEach(tokens));
      for (const kind of ['revoked', 'expired'] as const) {
        const ratio = Number((medians[kind] / medians.unknown).toFixed(4));
        report({
          figure: `${name}, ${use} time: ${kind} to unknown`,
          backend,
          medianRatio: ratio,
          samplesEach: count,
        });
      }
    }
  }
}

function takeFirstOfEach(tokens: WrongTokens): WrongTokens {
  return {
    unknown: tokens.unknown.slice(0, 1),
    revoked: tokens.revoked.slice(0, 1),
    expired: tokens.expired.slice(0, 1),
  };
}

/** Creates tokens that the service has never received, so that none is in its caches. */
async function prepareTokens(client: ConsoleClient, { collection, prefix }: Address): Promise<WrongTokens> {
  const path = `/api/v1/${collection}`;
  const create = async (): Promise<{ id: string; token: string }> =>
    JSON.parse(await manage(client, 'POST', path, { name: 'benchmark' })) as { id: string; token: string };
  const revoked = await runConcurrently(count, async () => {
    const { id, token } = await create();
    await manage(client, 'DELETE', `${path}/${id}`);
    return token;
  });
  const ids: string[] = [];
  const expired = await runConcurrently(count, async () => {
    const { id, token } = await create();
    ids.push(id);
    return token;
  });
  await runConcurrently(count, async (index) => {
    const expiresAt = new Date(Date.now() + expiresAfterMs).toISOString();
    await manage(client, 'PATCH', `${path}/${ids[index]}`, { expiresAt });
  });
  await new Promise((resolve) => setTimeout(resolve, expiresAfterMs + 100));
  return { unknown: Array.from({ length: count }, () => mintToken(prefix)), revoked, expired };
}

async function manage(client: ConsoleClient, method: string, path: string, body?: object): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await client.request(method, path, body);
    const text = await response.text();
    if (response.ok || (response.status === 404 && method === 'DELETE' && attempt > 1)) return text;
    if (response.status !== 503 || attempt === attemptsMax)
      throw new Error(`${path} answered ${response.status}: ${text}`);
  }
}

async function runConcurrently<T>(times: number, work: (index: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const runUntilDone = async () => {
    for (let index = next++; index < times; index = next++) results[index] = await work(index);
  };
  await Promise.all(Array.from({ length: concurrency }, runUntilDone));
  return results;
}

/** Returns the median time of each kind, in milliseconds. It sends one request at a time and alternates the kinds. */
async function measureTimes(url: string, address: Address, tokens: WrongTokens): Promise<Record<WrongKind, number>> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const times: Record<WrongKind, number[]> = { unknown: [], revoked: [], expired: [] };
  for (let round = 0; round < count; round += 1) {
    // The order changes in every round, so that it does not influence the medians.
    for (const kind of orderKinds(round)) {
      const token = tokens[kind][round % tokens[kind].length] ?? '';
      times[kind].push(await measureRequest(agent, `${url}${address.path}${token}`, address.method));
    }
  }
  agent.destroy();
  return {
    unknown: computeMedian(times.unknown),
    revoked: computeMedian(times.revoked),
    expired: computeMedian(times.expired),
  };
}

function orderKinds(round: number): WrongKind[] {
  const start = round % wrongKinds.length;
  const rotated = [...wrongKinds.slice(start), ...wrongKinds.slice(0, start)];
  return round % 2 === 0 ? rotated : rotated.reverse();
}

function measureRequest(agent: Agent, url: string, method: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const startedMs = performance.now();
    const sent = request(url, { agent, method }, (response) => {
      response.resume();
      response.once('end', () => {
        const isRefused = response.statusCode === (method === 'POST' ? 400 : 404);
        if (isRefused) resolve(performance.now() - startedMs);
        else reject(new Error(`a wrong token was answered ${response.statusCode}`));
      });
    });
    sent.once('error', reject);
    sent.end();
  });
}

function computeMedian(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}
