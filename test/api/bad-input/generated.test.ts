import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { PasswordHasher } from '@widget-service/shared/usecases/access/passwords.ts';
import fc, { type Arbitrary } from 'fast-check';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { aDelivery, aQuarantinedText } from '../../drivers/app/builders.ts';
import type { OpenApiDocument } from '../../drivers/app/openapi-document.ts';
import { openTestApp, type TestApp, type TestCaller, type TestResponse } from '../../drivers/app/test-app.ts';
import { type DescribedOperation, listOperations } from './described-operation.ts';
import { buildRequestArbitrary, type GeneratedRequest } from './request-arbitrary.ts';
import { canary } from './schema-arbitrary.ts';

/** Requests per operation. CI generates ten times as many. `GENERATED_SEED` repeats an earlier run. */
const requestedCount = Number(process.env.GENERATED_INPUTS ?? 200);
/** The cluster gets an eighth: its stores are slower, and both backends share the code that reads requests. */
const count = inject('backend') === 'embedded' ? requestedCount : Math.ceil(requestedCount / 8);
const seed = Number(process.env.GENERATED_SEED ?? Date.now() % 2 ** 31);
/** Operations that hash a password, which takes 30 ms of CPU time. They get a tenth of the requests. */
const hashingOperations = [
  'example.session.create',
  'example.session.changePassword',
  'example.users.create',
  'example.users.update',
];
const roundSize = 250;
const concurrency = 16;
/** Allowed heap growth for bounded caches, metrics and the driver's pools. */
const maxHeapGrowthBytes = 16 * 2 ** 20;

let service: TestApp;
let operations: DescribedOperation[];
let arbitraries: Map<DescribedOperation, Arbitrary<GeneratedRequest>>;
let caller: TestCaller;
let passwordHash: string;
beforeAll(async () => {
  service = await openTestApp();
  const document = (await service.get('/api/v1/openapi.json')).json() as OpenApiDocument;
  operations = listOperations(document);
  arbitraries = new Map(operations.map((operation) => [operation, buildRequestArbitrary(operation)]));
  passwordHash = await new PasswordHasher().hash('correct horse battery');
  caller = await signInAdmin();
});
afterAll(() => service.close());

/** Responses by operation and status. */
const statusCounts = new Map<string, Map<number, number>>();

test('every response to a generated request follows the contract, and the heap does not grow', {
  timeout: 3_600_000,
}, async () => {
  const repeat = `GENERATED_SEED=${seed} GENERATED_INPUTS=${requestedCount}`;
  console.log(`generated inputs on ${inject('backend')}: ${repeat}, ${count} of each`);
  // A warm-up round fills caches and pools before the heap is measured.
  for (const operation of operations) await runRound(operation, seed - 1, 20);
  const heapBeforeBytes = measureHeapBytes();
  for (const [index, operation] of operations.entries()) {
    const requestCount = hashingOperations.includes(operation.operationId) ? Math.ceil(count / 10) : count;
    for (let from = 0; from < requestCount; from += roundSize) {
      await runRound(operation, seed + index * count + from, Math.min(roundSize, requestCount - from));
    }
  }
  // The simulated connections keep the responses of the last round. So the last round is the same as the warm-up.
  for (const operation of operations) await runRound(operation, seed - 1, 20);
  const heapGrowthBytes = measureHeapBytes() - heapBeforeBytes;
  console.log(formatSummary(heapGrowthBytes));
  expect(heapGrowthBytes).toBeLessThan(maxHeapGrowthBytes);
});

test('the service still creates widgets after all generated requests', async () => {
  const { headers } = await service.signedIn('editor');
  const created = await service.post('/api/v1/widgets', { name: 'x' }, headers);
  expect(created.statusCode).toBe(201);
});

/** Sends the requests of one seed, and throws at the first response that violates the contract. */
async function runRound(operation: DescribedOperation, roundSeed: number, size: number): Promise<void> {
  const arbitrary = arbitraries.get(operation);
  if (arbitrary === undefined) throw new Error(`${operation.operationId} has no generator of requests`);
  const requests = fc.sample(arbitrary, { numRuns: size, seed: roundSeed });
  const id = await prepare(operation);
  const unavailableRequests: GeneratedRequest[] = [];
  let next = 0;
  const runWorker = async () => {
    for (let index = next++; index < requests.length; index = next++) {
      const request = requests[index] as GeneratedRequest;
      const response = await send(operation, request, id);
      if (response.statusCode === 503) unavailableRequests.push(request);
      else checkResponse(operation, request, response, roundSeed);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, runWorker));
  // Concurrent requests may conflict, and one of them gets 503. Sent alone, it must succeed.
  for (const request of unavailableRequests)
    checkResponse(operation, request, await send(operation, request, id), roundSeed);
  const lines = service.logLines as string[];
  const leakingLine = lines.find((line) => line.includes(canary) && !line.includes('"foreignRequestId"'));
  expect(leakingLine, 'a value that was sent is in a log line').toBeUndefined();
  lines.length = 0;
}

function checkResponse(
  operation: DescribedOperation,
  request: GeneratedRequest,
  response: TestResponse,
  roundSeed: number,
) {
  const violations = findViolations(response);
  if (violations.length > 0) {
    const sentRequest = JSON.stringify({ ...request, body: request.body?.toString() }).slice(0, 2_000);
    const lastError = service.logLines.filter((line) => line.includes('"level":"error"')).at(-1) ?? '';
    const description = `${operation.operationId}, seed ${roundSeed}: ${violations.join(', ')}`;
    throw new Error([description, response.body, sentRequest, lastError].join('\n'));
  }

  const statuses = statusCounts.get(operation.operationId) ?? new Map<number, number>();
  statusCounts.set(operation.operationId, statuses);
  statuses.set(response.statusCode, (statuses.get(response.statusCode) ?? 0) + 1);
}

function send(
  { method }: DescribedOperation,
  { path, headers, body }: GeneratedRequest,
  id: string,
): Promise<TestResponse> {
  const fill = (text: string) =>
    text.replaceAll('{caller}', caller.cookie).replaceAll('{csrf}', caller.csrfToken).replaceAll('{id}', id);
  const filledHeaders = Object.entries(headers).map(([name, value]) => [
    name,
    typeof value === 'string' ? fill(value) : value.map(fill),
  ]);
  return service.inject({
    method,
    url: fill(path),
    headers: Object.fromEntries(filledHeaders) as Record<string, string | string[]>,
    ...(body === null ? {} : { payload: body }),
  });
}

/** Creates an object for the operation and, if needed, an admin session: the previous round may have removed both. */
async function prepare({ path }: DescribedOperation): Promise<string> {
  const shown = await service.get('/api/v1/session', { cookie: caller.cookie });
  if (shown.statusCode !== 200) caller = await signInAdmin();
  if (path.includes('{token}')) return (await service.issueHookToken()).token;
  if (!path.includes('{')) return '';
  const collection = path.slice(0, path.indexOf('/{'));
  if (collection.endsWith('/quarantine')) {
    const text = aQuarantinedText();
    await service.backend.quarantine.insert(text);
    return text.id;
  }
  if (collection.endsWith('/users')) return (await service.signedIn('viewer')).userId;
  const { headers } = caller;
  const created = await service.post(collection, { name: 'target of generated requests' }, headers);
  const { id } = created.json() as { id: string };
  // `{id}` fills both the integration id and the event id of such a path.
  if (path.includes('{eventId}')) {
    await service.backend.ledger.markDead(aDelivery({ integrationId: id, eventId: id }), 'store-refused');
  }
  return id;
}

/** Signs in an admin with a password that no generated request contains. */
async function signInAdmin(): Promise<TestCaller> {
  const admin = await service.signedIn('admin');
  await service.backend.users.change(admin.userId, () => ({ passwordHash }));
  return admin;
}

/** The used heap after two forced garbage collections. */
function measureHeapBytes(): number {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  collectGarbage();
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

function formatSummary(heapGrowthBytes: number): string {
  const rows = [...statusCounts].map(([operationId, statuses]) => {
    const total = [...statuses.values()].reduce((sum, times) => sum + times, 0);
    const parts = [...statuses].sort(([a], [b]) => a - b).map(([status, times]) => `${status}: ${times}`);
    return `${operationId}: ${total} (${parts.join(', ')})`;
  });
  return [...rows, `heap: ${(heapGrowthBytes / 2 ** 20).toFixed(1)} MiB more`].join('\n');
}

/** The statuses of permanent rejections. No request may cause a 5xx. */
const rejections = [400, 403, 404, 405, 409];
const successes = [200, 201, 202, 204];
const uuidV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** The violations of the rules that hold for every response, whatever the request was. */
function findViolations({ statusCode, headers, body }: TestResponse): string[] {
  const isRejection = rejections.includes(statusCode);
  return [
    ...(isRejection || successes.includes(statusCode) ? [] : [`the status is ${statusCode}`]),
    ...(uuidV7.test(String(headers['x-request-id'])) ? [] : ['the request id is missing']),
    ...(isRejection && headers['content-type'] !== 'application/problem+json'
      ? ['a rejection is not problem+json']
      : []),
    ...(isRejection && body !== '' && (JSON.parse(body) as { status?: unknown }).status !== statusCode
      ? ['the problem has another status than the response']
      : []),
    ...(!successes.includes(statusCode) && body.includes(canary) ? ['the body repeats a sent value'] : []),
    ...(JSON.stringify(headers).includes(canary) ? ['a header repeats a sent value'] : []),
  ];
}
