import type { Delivery } from '@widget-service/shared/domain/delivery.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import { describe, expect, test } from 'vitest';
import { aCreation, aDelivery } from '../drivers/app/builders.ts';
import { openSharedBackend } from '../drivers/app/open-shared.ts';
import { logCanLoseEvents, openTestBackend } from '../drivers/app/open-test-backend.ts';
import { overrideMethod } from '../drivers/app/override-method.ts';
import type { TestBackend } from '../drivers/app/test-backend.ts';
import { createWorker, processUntilPublished, type RunPorts, readLog, toItem } from './drive-runs.ts';

const testBackend = await openSharedBackend();

const aHookWithoutWidget = () => aDelivery({ widgetId: null });

/** Inserts a widget, and returns a hook for it. */
async function insertWidgetHook({ widgets }: Pick<Backend, 'widgets'> = testBackend.backend): Promise<Delivery> {
  const creation = aCreation();
  await widgets.insertOnce(creation);
  return aDelivery({ widgetId: creation.widget.id });
}

/** Publishes the deliveries. A test passes other `ports` to interrupt the run. */
async function publish(deliveries: readonly Delivery[], ports: RunPorts = testBackend.backend): Promise<void> {
  await processUntilPublished(createWorker(ports), deliveries.map(toItem));
}

/** Reads the current epoch, and the ids of all events in the log. */
async function readEpochAndIds({ eventLog }: Pick<Backend, 'eventLog'> = testBackend.backend) {
  const extent = (await eventLog.inspect(null))?.extent;
  const eventIds = (await readLog(eventLog)).map(({ event }) => event.eventId);
  return { epoch: extent?.epoch, eventIds };
}

/** Copies the event log. The returned function restores the copy. */
async function copyEventLog({ copyLog }: TestBackend): Promise<() => Promise<void>> {
  if (copyLog === undefined) throw new Error('This backend cannot restore its log from a copy.');
  return copyLog();
}

/** Returns a function that calls `action` the first time, and does nothing afterwards. */
function runOnce(action: () => Promise<void>): () => Promise<void> {
  let hasRun = false;
  return async () => {
    if (hasRun) return;
    hasRun = true;
    await action();
  };
}

// The embedded log is in the same file as the other stores: it cannot lose events that they have.
describe.skipIf(!logCanLoseEvents)('an event log that is restored from an older copy', () => {
  test('gets the event of a frozen run again when another run appends after the restore', async () => {
    const { backend } = testBackend;
    await publish([aHookWithoutWidget()]);
    const before = await readEpochAndIds();
    const restore = await copyEventLog(testBackend);
    const [frozenHook, otherHook] = [await insertWidgetHook(), aHookWithoutWidget()];
    const interruptOnce = runOnce(async () => {
      await restore();
      await publish([otherHook, aHookWithoutWidget(), aHookWithoutWidget()]);
    });
    const eventLog = overrideMethod(backend.eventLog, 'append', async (...args) => {
      const result = await backend.eventLog.append(...args);
      await interruptOnce();
      return result;
    });
    await publish([frozenHook], { ...backend, eventLog });

    await publish([aHookWithoutWidget()]);
    const after = await readEpochAndIds();
    expect(after.epoch).toBe(before.epoch);
    expect(after.eventIds).toEqual(expect.arrayContaining([frozenHook.eventId, otherHook.eventId]));
  });

  test('gets the event of a frozen run again when retention trims past its position after the restore', async () => {
    const trimmingBackend = await openTestBackend({ retentionCount: 3 });
    const { backend } = trimmingBackend;
    await publish([aHookWithoutWidget()], backend);
    const restore = await copyEventLog(trimmingBackend);
    const frozenHook = await insertWidgetHook(backend);
    const interruptOnce = runOnce(async () => {
      await restore();
      await publish(Array.from({ length: 8 }, aHookWithoutWidget), backend);
      await backend.eventLog.trim(await backend.runs.lastPosition());
    });
    const eventLog = overrideMethod(backend.eventLog, 'append', async (...args) => {
      const result = await backend.eventLog.append(...args);
      await interruptOnce();
      return result;
    });
    await publish([frozenHook], { ...backend, eventLog });
    expect((await readEpochAndIds(backend)).eventIds).toContain(frozenHook.eventId);
    await trimmingBackend.dispose();
  });

  test('starts a new epoch when two runs freeze after their appends and retention trims their events', async () => {
    const trimmingBackend = await openTestBackend({ retentionCount: 1 });
    const { backend } = trimmingBackend;
    await publish([aHookWithoutWidget()], backend);
    const before = await readEpochAndIds(backend);
    const restore = await copyEventLog(trimmingBackend);
    const lostHook = await insertWidgetHook(backend);
    const [hasAppended, mayRecord] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const freezingRuns = overrideMethod(backend.runs, 'recordPosition', async (...args) => {
      hasAppended.resolve();
      await mayRecord.promise;
      return backend.runs.recordPosition(...args);
    });
    let otherRun = Promise.resolve();
    const interruptOnce = runOnce(async () => {
      await restore();
      otherRun = publish(Array.from({ length: 8 }, aHookWithoutWidget), { ...backend, runs: freezingRuns });
      await hasAppended.promise;
      await backend.eventLog.trim(await backend.runs.lastPosition());
    });
    const runs = overrideMethod(backend.runs, 'recordPosition', async (...args) => {
      await interruptOnce();
      return backend.runs.recordPosition(...args);
    });
    await publish([lostHook], { ...backend, runs });
    mayRecord.resolve();
    await otherRun;
    const after = await readEpochAndIds(backend);
    expect(after.eventIds).not.toContain(lostHook.eventId);
    expect(after.epoch).not.toBe(before.epoch);
    await trimmingBackend.dispose();
  });

  test('starts a new epoch when a run that froze before its append appends more events than were lost', async () => {
    const { backend } = testBackend;
    await publish([aHookWithoutWidget()]);
    const before = await readEpochAndIds();
    const restore = await copyEventLog(testBackend);
    const lostHook = await insertWidgetHook();
    const interruptOnce = runOnce(async () => {
      await publish([lostHook]);
      await restore();
    });
    const eventLog = overrideMethod(backend.eventLog, 'append', async (...args) => {
      await interruptOnce();
      return backend.eventLog.append(...args);
    });
    await publish([aHookWithoutWidget(), aHookWithoutWidget(), aHookWithoutWidget(), aHookWithoutWidget()], {
      ...backend,
      eventLog,
    });

    await publish([aHookWithoutWidget()]);
    const after = await readEpochAndIds();
    expect(after.eventIds).not.toContain(lostHook.eventId);
    expect(after.epoch).not.toBe(before.epoch);
  });
});
