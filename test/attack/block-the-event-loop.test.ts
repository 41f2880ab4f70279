import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import type { Delivery } from '@widget-service/shared/domain/delivery.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import { PasswordHasher } from '@widget-service/shared/usecases/access/passwords.ts';
import { expect, test } from 'vitest';
import { type DescribedOperation, listOperations } from '../api/bad-input/described-operation.ts';
import { aCreation, aDelivery, anAuditEvent, aUser } from '../drivers/app/builders.ts';
import { issueIntegration, issueProvisionToken, issueSubscription } from '../drivers/app/issue-grants.ts';
import { openSharedService } from '../drivers/app/open-shared.ts';
import { fetchOpenApiDocument } from '../drivers/app/openapi-document.ts';
import { signInThroughPorts, type TestCaller } from '../drivers/app/test-app.ts';
import { measureLongestTurnMs } from '../drivers/tools/longest-turn.ts';
import { listNastiestRequests, type NastyRequest } from './nastiest-requests.ts';

const blockedMaxMs = 50;
/** A garbage collection may hit one attempt, not all of them. */
const attemptsMax = 5;
/** More than a list reads. */
const rowsPerList = 12_000;

const service = await openSharedService({}, {}, { signInFailuresPerMinute: 0 });
const operations = listOperations(await fetchOpenApiDocument(service));
const lists = await fillLists(service.backend);
const signIn = operations.find(({ operationId }) => operationId === 'example.session.create') as DescribedOperation;
const { email, password } = signIn.example as { readonly email: string; readonly password: string };
const passwordHash = await new PasswordHasher().hash(password);
await service.backend.users.insert(aUser({ email, passwordHash }));

/** Stores an integration and a widget with many deliveries, and many audit events. */
async function fillLists(backend: Backend) {
  const { widgets, ledger, auditEvents } = backend;
  const { grant } = await issueIntegration(backend);
  const creation = aCreation();
  await widgets.insertOnce(creation);
  const [integrationId, widgetId] = [grant.id, creation.widget.id];
  for (let count = 0; count < rowsPerList; count += 1_000) {
    const deliveries: Delivery[] = Array.from({ length: 1_000 }, () => aDelivery({ integrationId, widgetId }));
    await ledger.register(deliveries);
    await Promise.all(Array.from({ length: 1_000 }, () => auditEvents.insert(anAuditEvent())));
  }
  return { integrationId, widgetId };
}

/** Values for the parameters of a path: what they name exists. */
async function makeParameters({ path }: DescribedOperation): Promise<Readonly<Record<string, string>>> {
  const { backend } = service;
  const [, , , collection = '', kind] = path.split('/');
  if (collection === 'events') {
    return { token: (await (kind === 'hooks' ? issueIntegration(backend) : issueSubscription(backend))).token };
  }
  const { eventId, ...rest } = { eventId: randomUUID(), connectionId: randomUUID() };
  const ids: Readonly<Record<string, () => Promise<string>>> = {
    widgets: async () => lists.widgetId,
    integrations: async () =>
      path.includes('/deliveries') ? lists.integrationId : (await issueIntegration(backend)).grant.id,
    subscriptions: async () => (await issueSubscription(backend)).grant.id,
    'provision-tokens': async () => (await issueProvisionToken(backend)).grant.id,
    users: async () => (await signInThroughPorts(backend, 'viewer')).userId,
  };
  return { eventId, ...rest, id: (await ids[collection]?.()) ?? randomUUID() };
}

interface Target {
  readonly operation: DescribedOperation;
  readonly parameters: Readonly<Record<string, string>>;
  readonly caller: TestCaller;
}

async function makeTarget(operation: DescribedOperation): Promise<Target> {
  const caller = await signInThroughPorts(service.backend, 'admin');
  return { operation, parameters: await makeParameters(operation), caller };
}

function buildRequest({ operation, parameters, caller }: Target, nasty: NastyRequest): string {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => nasty.parameter ?? parameters[name] ?? 'x');
  const body = nasty.body ?? (operation.example === undefined ? '' : JSON.stringify(operation.example));
  const headers = [
    ['host', new URL(service.url).host],
    ['connection', 'close'],
    ['x-csrf-token', caller.csrfToken],
    ['cookie', caller.cookie],
    ...(body === '' ? [] : [['content-type', 'application/json']]),
    ['content-length', `${Buffer.byteLength(body)}`],
    ...(nasty.headers ?? []),
  ];
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const target = nasty.query === undefined ? path : `${path}?${nasty.query}`;
  return `${operation.method} ${target} HTTP/1.1\r\n${lines}\r\n${body}`;
}

/** Sends a request, and resolves with the status once the response has ended, or once a stream has begun. */
function send(request: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1', () => socket.write(request));
    let head = '';
    socket.on('data', (chunk) => {
      if (head.length < 4_096) head += chunk.toString('latin1');
      if (head.includes('text/event-stream')) socket.destroy();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(Number(head.split(' ')[1])));
  });
}

test('no request of at most 64 KiB blocks the event loop for more than 50 ms, at any operation', {
  timeout: 600_000,
}, async () => {
  const slow: string[] = [];
  const statuses = new Set<number>();
  for (const operation of operations) {
    let target = await makeTarget(operation);
    for (const nasty of listNastiestRequests(operation)) {
      let shortestMs = Number.POSITIVE_INFINITY;
      for (let attempt = 0; attempt < attemptsMax && shortestMs > blockedMaxMs; attempt += 1) {
        // A request that changes something may use up what it names.
        target = operation.method === 'GET' ? target : await makeTarget(operation);
        const request = buildRequest(target, nasty);
        expect(request.length, nasty.name).toBeLessThan(65_536 + 16_384);
        const blockedMs = await measureLongestTurnMs(async () => statuses.add(await send(request)));
        shortestMs = Math.min(shortestMs, blockedMs);
      }
      if (shortestMs > blockedMaxMs) slow.push(`${operation.operationId}, ${nasty.name}: ${Math.round(shortestMs)} ms`);
    }
  }
  expect(slow).toEqual([]);
  // The requests reach their handlers: some succeed, others are refused for different reasons.
  expect([...statuses]).toEqual(expect.arrayContaining([200, 202, 400, 404]));
});
