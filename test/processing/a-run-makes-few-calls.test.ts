import { randomBytes } from 'node:crypto';
import { MongoDeliveryLedger } from '@widget-service/cluster/mongo/mongo-delivery-ledger.ts';
import { MongoRunRegistry } from '@widget-service/cluster/mongo/mongo-run-registry.ts';
import { MongoWidgetEffects, MongoWidgetOutbox } from '@widget-service/cluster/mongo/mongo-widget-effects.ts';
import { openMongoStores } from '@widget-service/cluster/mongo/open-mongo-stores.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import { BatchProcessor } from '@widget-service/shared/usecases/hooks/process-batch.ts';
import { type CommandStartedEvent, MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { aCreation, aDelivery } from '../drivers/app/builders.ts';
import { openSharedBackend } from '../drivers/app/open-shared.ts';
import { mongodbUrlOf } from '../drivers/cluster/servers.ts';
import { processUntilPublished, runWhole, toItem } from './drive-runs.ts';

const testBackend = await openSharedBackend();

/** The commands that wait for an answer, and the documents that they write. */
interface Cost {
  /** Their names and collections, in order. */
  readonly calls: readonly string[];
  readonly documents: number;
}

/** The costs are also in docs/scaling.md: a change there belongs to a change here. */
describe.runIf(inject('backend') === 'cluster')('what a run costs MongoDB', () => {
  const commands: CommandStartedEvent[] = [];
  let client: MongoClient;
  let stores: Awaited<ReturnType<typeof openMongoStores>>;
  let worker: BatchProcessor;
  /** The worker's monotonic clock stands still, so that its speed does not count. */
  let nowMs = 0;

  beforeAll(async () => {
    const url = mongodbUrlOf(`t-${randomBytes(8).toString('hex')}`);
    const settings = { MONGODB_URL: url, DELIVERY_RETENTION_MS: 1e9 };
    stores = await openMongoStores({ ...settings, startTimeoutMs: 5_000, migrate: true });
    client = await new MongoClient(url, { monitorCommands: true }).connect();
    client.on('commandStarted', (event) => commands.push(event));
    const db = client.db();
    const ports = {
      runs: new MongoRunRegistry(db),
      effects: new MongoWidgetEffects(db),
      ledger: new MongoDeliveryLedger(db, settings.DELIVERY_RETENTION_MS),
      outboxes: new MongoWidgetOutbox(db),
      eventLog: testBackend.backend.eventLog,
    };
    worker = new BatchProcessor({ ...ports, clock: { ...systemClock, monotonicMs: () => nowMs } });
    // The first run of a process takes a number, and creates the document of the last position.
    await processUntilPublished(runWhole(worker), [toItem(aDelivery())]);
  });
  afterAll(async () => {
    await stores.db.dropDatabase();
    await Promise.all([client.close(), stores.close()]);
  });

  async function insertWidgets(count: number): Promise<string[]> {
    const creations = Array.from({ length: count }, () => aCreation());
    for (const creation of creations) await stores.ports.widgets.insertOnce(creation);
    const nudges = creations.map(({ widget }) => ({ type: 'nudge' as const, widgetId: widget.id }));
    await processUntilPublished(runWhole(worker), nudges);
    return creations.map(({ widget }) => widget.id);
  }

  async function measure(work: () => Promise<unknown>): Promise<Cost> {
    commands.length = 0;
    await work();
    return {
      calls: commands.map(({ commandName, command }) => `${commandName} ${command[commandName]}`),
      documents: commands.reduce((sum, event) => sum + countWritten(event), 0),
    };
  }

  const post = (widgetIds: readonly string[]) =>
    measure(() => {
      const items = widgetIds.map((widgetId) => toItem(aDelivery({ widgetId })));
      return processUntilPublished(runWhole(worker), items);
    });

  test.each([1, 100])('%i hooks of as many widgets take seven calls, and four documents per hook', async (count) => {
    const widgetIds = await insertWidgets(count);
    nowMs += 1_000;
    const { calls, documents } = await post(widgetIds);
    // The last position is read beside the update of the widgets.
    expect(calls.toSorted()).toEqual([
      'find runs',
      'find widgets',
      'insert deliveries',
      'update deliveries',
      'update runs',
      'update widgets',
      'update widgets',
    ]);
    expect(documents).toBe(4 * count + 1);
  });

  test('right after another run, a run takes six calls', async () => {
    const { calls } = await post(await insertWidgets(1));
    expect(calls).toEqual([
      'find widgets',
      'insert deliveries',
      'update widgets',
      'update runs',
      'update deliveries',
      'update widgets',
    ]);
  });

  test('100 hooks of one widget take two documents per hook', async () => {
    const [widgetId = ''] = await insertWidgets(1);
    const { documents } = await post(Array.from({ length: 100 }, () => widgetId));
    expect(documents).toBe(2 * 100 + 3);
  });

  test('runs of other partitions that wait for an append share the calls after it', async () => {
    const widgetIds = await insertWidgets(8);
    const { calls } = await measure(() =>
      Promise.all(
        widgetIds.map((widgetId) => processUntilPublished(runWhole(worker), [toItem(aDelivery({ widgetId }))])),
      ),
    );
    const publishing = calls.filter((call) => call === 'update runs').length;
    expect(publishing).toBeLessThan(8);
    expect(calls.filter((call) => call === 'update deliveries').length).toBe(publishing);
  });

  test('the dedupe marks of many runs expire in one call', async () => {
    const widgetIds = await insertWidgets(20);
    for (const widgetId of widgetIds) await post([widgetId]);
    expect(await measure(() => worker.expireMarks())).toEqual({ calls: ['findAndModify runs'], documents: 1 });
    expect(await measure(() => worker.expireMarks())).toEqual({ calls: [], documents: 0 });
  });
});

function countWritten({ commandName, command }: CommandStartedEvent): number {
  if (commandName === 'insert') return command.documents.length;
  if (commandName === 'update') return command.updates.length;
  return commandName === 'findAndModify' ? 1 : 0;
}
