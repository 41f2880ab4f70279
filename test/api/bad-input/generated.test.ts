import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createPasswordHasher } from '@widget-service/shared/usecases/access/password-hasher.ts';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { aDelivery } from '../../drivers/builders.ts';
import type { OpenApiDocument } from '../../drivers/openapi-document.ts';
import { openTestApp, type TestApp, type TestCaller, type TestResponse } from '../../drivers/test-app.ts';
import { type DescribedOperation, operationsOf } from './described-operation.ts';
import { generation } from './generation.ts';
import { wrongsOf } from './judge-answer.ts';
import { type GeneratedRequest, requestOf } from './request-arbitrary.ts';
import { canary } from './schema-arbitrary.ts';
import { setUpTimeoutMs } from './set-up-timeout.ts';

const { count, seed, announce } = generation(inject('backend'));
/** Of an operation that hashes passwords, which takes 30 ms of a processor, one in ten. */
const hashing = [
  'example.session.create',
  'example.session.changePassword',
  'example.users.create',
  'example.users.update',
];
const roundSize = 250;
const lanes = 16;
/** What the service may keep of all these requests: bounded caches, metrics, the driver's pools. */
const heapGrowthMaxBytes = 16 * 2 ** 20;

let service: TestApp;
let operations: DescribedOperation[];
let caller: TestCaller;
let passwordHash: string;
beforeAll(async () => {
  service = await openTestApp();
  const document = (await service.inject({ method: 'GET', url: '/api/v1/openapi.json' })).json() as OpenApiDocument;
  operations = operationsOf(document);
  passwordHash = await createPasswordHasher().hash('correct horse battery');
  caller = await signInAdmin();
}, setUpTimeoutMs);
afterAll(() => service.close());

const tried = new Map<string, Map<number, number>>();

test('nothing that is generated from the description is answered outside the contract', {
  timeout: 3_600_000,
}, async () => {
  announce('inputs');
  // The first round fills what is filled once.
  for (const operation of operations) await runRound(operation, seed - 1, 20);
  const heapBefore = heapUsed();
  for (const [index, operation] of operations.entries()) {
    const wanted = hashing.includes(operation.operationId) ? Math.ceil(count / 10) : count;
    for (let from = 0; from < wanted; from += roundSize) {
      await runRound(operation, seed + index * count + from, Math.min(roundSize, wanted - from));
    }
  }
  const heapGrowth = heapUsed() - heapBefore;
  console.log(summary(heapGrowth));
  expect(heapGrowth).toBeLessThan(heapGrowthMaxBytes);
});

test('the service goes on as before', async () => {
  const { headers } = await service.signedIn('editor');
  const created = await service.inject({ method: 'POST', url: '/api/v1/widgets', headers, payload: { name: 'x' } });
  expect(created.statusCode).toBe(201);
});

/** Sends the requests of one seed, and fails with the first that is answered wrongly. */
async function runRound(operation: DescribedOperation, roundSeed: number, size: number): Promise<void> {
  const requests = fc.sample(requestOf(operation), { numRuns: size, seed: roundSeed });
  const id = await prepare(operation);
  const refusedForNow: GeneratedRequest[] = [];
  let next = 0;
  const lane = async () => {
    for (let index = next++; index < requests.length; index = next++) {
      const request = requests[index] as GeneratedRequest;
      const response = await send(operation, request, id);
      if (response.statusCode === 503) refusedForNow.push(request);
      else judge(operation, request, response, roundSeed);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  // Of two that get in each other's way one is asked to try again; alone, it must get through.
  for (const request of refusedForNow) judge(operation, request, await send(operation, request, id), roundSeed);
  const lines = service.logLines as string[];
  const told = lines.find((line) => line.includes(canary) && !line.includes('"foreignRequestId"'));
  expect(told, 'a value that was sent is in a log line').toBeUndefined();
  lines.length = 0;
}

function judge(operation: DescribedOperation, request: GeneratedRequest, response: TestResponse, roundSeed: number) {
  const wrongs = wrongsOf(response);
  if (wrongs.length > 0) {
    const sent = JSON.stringify({ ...request, body: request.body?.toString() }).slice(0, 2_000);
    const said = service.logLines.filter((line) => line.includes('"level":"error"')).at(-1) ?? '';
    const what = `${operation.operationId}, seed ${roundSeed}: ${wrongs.join(', ')}`;
    throw new Error([what, response.body, sent, said].join('\n'));
  }
  const statuses = tried.get(operation.operationId) ?? new Map<number, number>();
  tried.set(operation.operationId, statuses);
  statuses.set(response.statusCode, (statuses.get(response.statusCode) ?? 0) + 1);
}

function send(
  { method }: DescribedOperation,
  { path, headers, body }: GeneratedRequest,
  id: string,
): Promise<TestResponse> {
  const fill = (text: string) =>
    text.replaceAll('{caller}', caller.cookie).replaceAll('{csrf}', caller.csrfToken).replaceAll('{id}', id);
  const sent = Object.entries(headers).map(([name, value]) => [
    name,
    typeof value === 'string' ? fill(value) : value.map(fill),
  ]);
  return service.inject({
    method,
    url: fill(path),
    headers: Object.fromEntries(sent) as Record<string, string | string[]>,
    ...(body === null ? {} : { payload: body }),
  });
}

/** Somebody who may do everything, and something for the operation to be done to: the round before may have ended both. */
async function prepare({ path }: DescribedOperation): Promise<string> {
  const shown = await service.inject({ method: 'GET', url: '/api/v1/session', headers: { cookie: caller.cookie } });
  if (shown.statusCode !== 200) caller = await signInAdmin();
  if (path.includes('{token}')) return (await service.issueHookToken()).token;
  if (!path.includes('{')) return '';
  const collection = path.slice(0, path.indexOf('/{'));
  if (collection.endsWith('/users')) return (await service.signedIn('viewer')).userId;
  const { headers } = caller;
  const created = await service.inject({ method: 'POST', url: collection, headers, payload: { name: 'to be tried' } });
  const { id } = created.json() as { id: string };
  // In such a path the id stands for both.
  if (path.includes('{eventId}')) {
    await service.backend.ledger.markDead(aDelivery({ integrationId: id, eventId: id }), 'store-refused');
  }
  return id;
}

/** With a password of its own, which a generated request will not guess. */
async function signInAdmin(): Promise<TestCaller> {
  const admin = await service.signedIn('admin');
  await service.backend.users.update(admin.userId, { passwordHash });
  return admin;
}

/** After everything that nobody holds was collected. */
function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

function summary(heapGrowth: number): string {
  const rows = [...tried].map(([operationId, statuses]) => {
    const total = [...statuses.values()].reduce((sum, each) => sum + each, 0);
    const each = [...statuses].sort(([a], [b]) => a - b).map(([status, times]) => `${status}: ${times}`);
    return `${operationId}: ${total} (${each.join(', ')})`;
  });
  return [...rows, `heap: ${(heapGrowth / 2 ** 20).toFixed(1)} MiB more`].join('\n');
}
