/**
 * What users notice of the failovers of a replica set, and of servers and majorities that are late. Needs
 * REPLICA_SET_URL and REPLICA_SET_CONTROL (`findReplicaSet`). Behind the members is the database of MONGODB_URL.
 */
import { openMongoStores } from '@widget-service/cluster/mongo/open-mongo-stores.ts';
import { findDatabaseName } from '@widget-service/shared/runtime/host-name.ts';
import { MongoClient } from 'mongodb';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { aDelivery } from '../../drivers/app/builders.ts';
import { type ConsoleClient, createWidgets, signIn } from '../../drivers/app/console-client.ts';
import { type ClusterRun, openClusterRun } from '../../drivers/cluster/cluster-run.ts';
import { buildHooks, createHookSender } from '../../drivers/cluster/hook-sender.ts';
import { mongodbUrlOf } from '../../drivers/cluster/servers.ts';
import { type ServiceProcess, withOrigin } from '../../drivers/cluster/service-process.ts';
import { openStream, type StreamClient } from '../../drivers/streams/stream-client.ts';
import { eventually } from '../../drivers/tools/eventually.ts';
import { isHaproxyInstalled } from '../../faults/balancer.ts';
import { type FaultRun, useFaultRun } from '../../faults/checkpoint.ts';
import { formatColumns } from '../../faults/fault-table.ts';
import { findReplicaSet, type ReplicaSet } from '../../faults/replica-set.ts';
import {
  type FaultParts,
  faultsWithoutRetries,
  longReplicaSetFaults,
  type ReplicaSetFault,
  shortReplicaSetFaults,
} from '../../faults/replica-set-faults.ts';
import { replicaSetColumns, runReplicaSetFault } from '../../faults/replica-set-run.ts';
import { isLong } from '../../faults/scale.ts';

const found = findReplicaSet();
if (found === null) {
  console.log('*** SKIPPED: failovers of MongoDB (REPLICA_SET_URL and REPLICA_SET_CONTROL are not set) ***');
  if (process.env.REQUIRE_REPLICA_SET === '1') throw new Error('REQUIRE_REPLICA_SET=1 forbids this skip');
}

/** These tests and those below break one set, so they are in one file: its tests run one after the other. */
describe.runIf(found !== null && isHaproxyInstalled())(
  'a cluster under load on a replica set breaks no promise',
  () => {
    const rows: (readonly string[])[] = [];
    let run: FaultRun;
    let parts: FaultParts;
    const load = { pods: 2, hooksPerSecond: 40, createsPerSecond: 5, streams: 20 };
    useFaultRun('replica set', { ...load, hasLinks: false, mongodbServer: found?.url }, (opened) => {
      run = opened;
      const database = findDatabaseName(run.cluster.run.environment.MONGODB_URL ?? '');
      parts = { set: found!, cluster: run.cluster, mongodbUrl: mongodbUrlOf(database, found!.url) };
    });
    beforeAll(() => found?.mend());
    afterEach(() => found?.mend());
    afterAll(() => console.log(formatColumns([['fault', ...replicaSetColumns], ...rows])));

    const judge = (fault: ReplicaSetFault) => runReplicaSetFault(run, parts, fault, (row) => rows.push(row));

    test.each(isLong ? longReplicaSetFaults : shortReplicaSetFaults)('$name', judge);

    test.runIf(isLong)('crash and step-down without retryable writes', async () => {
      for (const slot of [...run.cluster.workers, ...run.cluster.pods]) {
        await slot.stop();
        await slot.start({ MONGODB_URL: `${parts.mongodbUrl}&retryWrites=false` });
      }
      for (const fault of faultsWithoutRetries) await judge(fault);
    });
  },
);

interface Listed {
  readonly items: readonly { readonly id: string; readonly name: string }[];
}

describe.skipIf(found === null)('a cluster on a replica set', () => {
  const set = found as ReplicaSet;
  const sender = createHookSender(4);
  let run: ClusterRun;
  let onSet: { readonly MONGODB_URL: string };
  let pods: ServiceProcess[];
  let worker: ServiceProcess;
  let client: ConsoleClient;
  let stream: StreamClient;
  let widgetId: string;
  let integration: { id: string; url: string };
  let revoked: { id: string; url: string };

  beforeAll(async () => {
    await set.mend();
    run = await openClusterRun();
    onSet = { MONGODB_URL: mongodbUrlOf(findDatabaseName(run.environment.MONGODB_URL ?? ''), set.url) };
    pods = [await run.startApi(onSet), await run.startApi(onSet)];
    worker = await run.startWorker(onSet);
    client = await signIn(pods[0]!.url);
    [widgetId = ''] = await createWidgets(client, 1);
    integration = await client.createIntegration('factory');
    revoked = await client.createIntegration('revoked');
    stream = await openStream(withOrigin(pods[0]!, (await client.createSubscription('screen')).url));
    await sendHook();
  });
  afterEach(() => set?.mend());
  afterAll(async () => {
    stream?.close();
    sender.close();
    await run?.dispose();
  });

  const postHook = (url: string, pod = pods[0]!) =>
    sender.send(withOrigin(pod, url), buildHooks([widgetId], 1)[0]!).then(({ status }) => status);

  /** Posts a hook, and resolves when the stream has its event. */
  async function sendHook(withinMs?: number): Promise<void> {
    const before = stream.widgetEvents().length;
    expect(await postHook(integration.url)).toBe(202);
    await stream.until(() => stream.widgetEvents().length > before, 'the event of the hook', withinMs);
  }

  const createAll = (names: readonly string[]) =>
    Promise.all(names.map(async (name) => (await client.createWidget({ name }, { 'idempotency-key': name })).status));
  const nameAll = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
  const read = async <T>(path: string) => (await (await client.request('GET', path)).json()) as T;
  const listAuditEvents = async (id: string) => (await read<Listed>(`/api/v1/audit-events?targetId=${id}`)).items;
  const getStatus = async (path: string) => (await client.request('GET', path)).status;

  test.each(['before', 'after'])(
    'writes in flight when the primary crashes succeed (crash %s they run)',
    async (policy) => {
      const names = nameAll(`in-flight-${policy}`, 10);
      const crash = set.bring('kill', { policy, windowMs: 400, gapMs: 200, restartMs: 500 });
      const created = names.map(async (name) => (await client.createWidget({ name })).status);
      expect(await Promise.all(created)).toEqual(names.map(() => 201));
      await crash;
      const { items } = await read<Listed>('/api/v1/widgets?pageSize=200');
      const stored = items.map(({ name }) => name).filter((name) => names.includes(name));
      expect(stored.sort()).toEqual(names);
    },
  );

  test('an audit event is listed before its change is acknowledged, also if the connection of its write breaks', async () => {
    // The driver repeats the write once, too.
    await set.disturb(['insert'], ['auditEvents'], { when: 'before', reset: true, times: 2 });
    const created = await client.createWidget({ name: 'audited' });
    const { id } = (await created.json()) as { id: string };
    expect(await listAuditEvents(id)).toMatchObject([{ action: 'widget.created', outcome: 'succeeded' }]);
  });

  test('a create that was answered 503, and repeated, has its audit event', async () => {
    const create = () => client.createWidget({ name: 'repeated' }, { 'idempotency-key': 'repeated' });
    await set.disturb(['insert'], ['widgets'], { when: 'after', delayMs: 3_000, times: 1 });
    const refused = await create();
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    const repeated = await create();
    expect(repeated.status).toBe(201);
    expect(repeated.headers.get('idempotent-replayed')).toBe('true');
    const { id } = (await repeated.json()) as { id: string };
    expect(await listAuditEvents(id)).toMatchObject([{ action: 'widget.created', outcome: 'succeeded' }]);
  });

  test('lists are answered while the majority confirms no write', async () => {
    const names = nameAll('stalled', 60);
    const stall = set.bring('stall', { ms: 7_000 });
    expect(await createAll(names)).toEqual(names.map(() => 503));
    await eventually(async () => (await getStatus('/api/v1/widgets')) === 200, 'widgets are listed', 3_000);
    await stall;
    expect(await createAll(names)).toEqual(names.map(() => 201));
  });

  test('a list gets 503 while MongoDB refuses the hint of an index that it is building', async () => {
    const paths = ['/api/v1/widgets', `/api/v1/integrations/${integration.id}/deliveries`, '/api/v1/audit-events'];
    const badValue = 2;
    await set.disturb(['find', 'aggregate'], ['widgets', 'deliveries', 'auditEvents'], {
      when: 'before',
      code: badValue,
    });
    expect(await Promise.all(paths.map(getStatus))).toEqual(paths.map(() => 503));
    await set.mend();
    expect(await Promise.all(paths.map(getStatus))).toEqual(paths.map(() => 200));
  });

  test('a token that was revoked just before a failover is refused 2 s after the new primary knows it', async () => {
    for (const pod of pods) expect(await postHook(revoked.url, pod)).toBe(202);
    await set.bring('track');
    expect((await client.request('DELETE', `/api/v1/integrations/${revoked.id}`)).status).toBe(204);
    await set.bring('stepdown', { windowMs: 0, gapMs: 100, staleMs: 3_000, lookbackMs: 1_000 });
    const isAccepted = async (pod: ServiceProcess) => (await postHook(revoked.url, pod)) === 202;
    await Promise.all(pods.map((pod) => eventually(() => isAccepted(pod), 'the new primary shows the token', 3_000)));
    await eventually(set.isCurrent, 'the new primary knows the revocation');
    const isRefused = async (pod: ServiceProcess) => (await postHook(revoked.url, pod)) === 400;
    await Promise.all(pods.map((pod) => eventually(() => isRefused(pod), 'the token is refused', 2_000)));
  });

  test('a new primary that does not show the last runs yet is not taken for a restored backup', async () => {
    await set.bring('track');
    // A worker that starts gets a new number for its run, and the log knows it from the first event on.
    await worker.stop();
    worker = await run.startWorker(onSet);
    await sendHook(30_000);
    // Longer than a process waits between two of its checks.
    await set.bring('stepdown', { windowMs: 0, gapMs: 100, staleMs: 7_000, lookbackMs: 20_000 });
    await eventually(set.isCurrent, 'the new primary shows all', 20_000);
    await sendHook(30_000);
    expect([worker, ...pods].flatMap(({ lines }) => lines.filter(({ msg }) => msg === 'stores.mismatch'))).toEqual([]);
  });

  test('the log says why a bulk failed, and the event comes', async () => {
    await set.disturb(['insert'], ['deliveries'], { when: 'after', reset: true, times: 2 });
    await sendHook();
    const reasons = () => worker.lines.map(({ err }) => `${(err as { internalMessage?: string })?.internalMessage}`);
    const isExplained = async () => reasons().some((text) => /register deliveries: MongoBulkWriteError: \w/.test(text));
    await eventually(isExplained, 'the log has the reason');
  });

  test('a delivery that is published while a second run reads its row counts as a duplicate', async () => {
    const { ports, close } = await openMongoStores({ ...onSet, DELIVERY_RETENTION_MS: 60_000, migrate: false });
    const delivery = aDelivery();
    await ports.ledger.register([delivery]);
    await set.disturb(['find'], ['deliveries'], { when: 'after', delayMs: 1_000, times: 1 });
    const second = ports.ledger.register([delivery]);
    await eventually(async () => (await set.countDisturbed()) > 0, 'the second run reads the row');
    const position = { epoch: 'k3f9', ms: 1, seq: 0 };
    await ports.ledger.markPublished([{ eventId: delivery.eventId, position, effect: null }], new Date());
    expect((await second).duplicates).toEqual([delivery.eventId]);
    await close();
  });

  test('a start with a direct connection to a member exits with 78 and names the option', async () => {
    const [member] = new MongoClient(set.url).options.hosts;
    const starting = run.startWorker({ MONGODB_URL: `mongodb://${member}/?directConnection=true` });
    await expect(starting).rejects.toThrow(/ended with 78: .*MONGODB_URL: directConnection/s);
  });

  test('a worker is not ready while MongoDB answers reads and refuses writes', async () => {
    const isReady = async () => (await fetch(`${worker.opsUrl}/readyz`)).ok;
    const notPrimary = 10_107;
    await set.disturb(['insert', 'update', 'findAndModify'], null, { when: 'before', code: notPrimary });
    const before = stream.widgetEvents().length;
    expect(await postHook(integration.url)).toBe(202);
    await eventually(async () => !(await isReady()), 'the worker is not ready', 30_000);
    const refused = await set.countDisturbed();
    await eventually(async () => (await set.countDisturbed()) > refused + 4, 'further writes are refused');
    expect(await isReady()).toBe(false);
    expect(worker.lines.filter(({ msg }) => msg === 'stores.reachable')).toEqual([]);
    await set.mend();
    await stream.until(() => stream.widgetEvents().length > before, 'the event of the hook');
    await eventually(isReady, 'the worker is ready');
  });

  test('events come while replication is 6 s late', async () => {
    await set.bring('lag', { lagMs: 6_000 });
    await sendHook(90_000);
  });

  test('a set that was made anew is used without a restart', async () => {
    await set.bring('stepdown', { windowMs: 0, gapMs: 100 });
    await sendHook();
    await set.bring('reinit', { ms: 500 });
    await sendHook(60_000);
    // The worker and each pod notice it by themselves, after 30 s.
    const isCreated = async () => (await client.createWidget({ name: 'after' })).status === 201;
    await eventually(isCreated, 'a pod uses the new set');
  });
});
