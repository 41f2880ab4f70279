import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleClient, signIn } from '../drivers/app/console-client.ts';
import { type ClusterRun, openClusterRun } from '../drivers/cluster/cluster-run.ts';
import { createHookSender } from '../drivers/cluster/hook-sender.ts';
import { type ServiceProcess, withOrigin } from '../drivers/cluster/service-process.ts';
import { openStream } from '../drivers/streams/stream-client.ts';

let run: ClusterRun;
let pods: ServiceProcess[];
let clients: ConsoleClient[];

beforeAll(async () => {
  run = await openClusterRun();
  pods = [await run.startApi(), await run.startApi()];
  await run.startWorker();
  const client = await signIn(pods[0]!.url);
  clients = pods.map((pod) => client.on(pod.url));
});
afterAll(() => run.dispose());

const create = (index: number, key: string, name: string) =>
  clients[index % 2]!.createWidget({ name }, { 'idempotency-key': key });

test('50 concurrent creates with one key make one widget and get equal bodies, even after it is retired', async () => {
  const key = randomUUID();
  const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => create(index, key, 'press')));
  expect(answers.map((answer) => answer.status)).toEqual(new Array(50).fill(201));
  const bodies = await Promise.all(answers.map((answer) => answer.text()));
  expect(new Set(bodies).size).toBe(1);
  expect(answers.filter((answer) => answer.headers.get('idempotent-replayed') !== 'true')).toHaveLength(1);
  const page = (await (await clients[1]!.request('GET', '/api/v1/widgets')).json()) as { totalItems: number };
  expect(page.totalItems).toBe(1);

  const { id } = JSON.parse(bodies[0]!) as { id: string };
  const stream = await openStream((await clients[0]!.createSubscription('audit')).url);
  await stream.until(() => stream.events.length > 0, 'stream.open');
  const integration = await clients[0]!.createIntegration('shop');
  const sender = createHookSender(1);
  const retirement = { kind: 'retired', occurredAt: new Date().toISOString(), widgetId: id } as const;
  await sender.send(withOrigin(pods[1]!, integration.url), retirement);
  await stream.until(() => stream.events.some(({ event }) => event === 'widget.retired'), 'the retirement');
  const retired = (await (await clients[1]!.request('GET', `/api/v1/widgets/${id}`)).json()) as { state: string };
  expect(retired.state).toBe('retired');

  const again = await create(1, key, 'press');
  expect(again.status).toBe(201);
  expect(await again.text()).toBe(bodies[0]);
  stream.close();
  sender.close();
});

test('of 50 concurrent creates with one key and two bodies, all with the losing body are answered 409', async () => {
  const key = randomUUID();
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) => create(index, key, index % 4 < 2 ? 'left' : 'right')),
  );
  const created = answers.filter((answer) => answer.status === 201);
  const refused = answers.filter((answer) => answer.status === 409);
  expect(created.length + refused.length).toBe(50);
  expect(new Set(await Promise.all(created.map((answer) => answer.text()))).size).toBe(1);
  expect(Math.abs(created.length - refused.length)).toBeLessThanOrEqual(2);
  const codes = await Promise.all(refused.map(async (answer) => ((await answer.json()) as { code: string }).code));
  expect(new Set(codes)).toEqual(new Set(['idempotency-key-reused']));
});
