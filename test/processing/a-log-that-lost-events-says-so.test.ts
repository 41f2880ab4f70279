import type { Delivery } from '@widget-service/shared/domain/hook-event.ts';
import type { LogPosition } from '@widget-service/shared/domain/log-position.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import { makePublishOutbox } from '@widget-service/shared/usecases/events/publish-outbox.ts';
import { makeProcessBatch } from '@widget-service/shared/usecases/hooks/process-batch.ts';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { aCreation, aDelivery } from '../drivers/builders.ts';
import { openTestBackend } from '../drivers/open-test-backend.ts';
import { instead } from '../drivers/override-method.ts';
import type { TestBackend } from '../drivers/test-backend.ts';

type RunPorts = Pick<Backend, 'runs' | 'effects' | 'ledger' | 'outboxes' | 'eventLog'>;

let opened: TestBackend;
beforeAll(async () => {
  opened = await openTestBackend();
});
afterAll(() => opened.dispose());

const aLooseHook = () => aDelivery({ widgetId: null });

async function aWidgetHook({ widgets }: Pick<Backend, 'widgets'> = opened.backend): Promise<Delivery> {
  const creation = aCreation();
  await widgets.insertOnce(creation);
  return aDelivery({ widgetId: creation.widget.id });
}

/** Runs the batch until it is published; `ports` may let something happen in its midst. */
async function publish(deliveries: readonly Delivery[], ports: RunPorts = opened.backend): Promise<void> {
  const deps = { ...ports, clock: systemClock };
  const processBatch = makeProcessBatch({ ...deps, publishOutbox: makePublishOutbox(deps) });
  const items = deliveries.map((delivery) => ({ type: 'delivery', delivery }) as const);
  for (let tries = 0; tries < 20; tries += 1) {
    const outcome = await processBatch(items, AbortSignal.timeout(60_000)).catch(() => null);
    if (outcome?.status === 'published') return;
  }
  throw new Error('not published in 20 runs');
}

/** What the log holds now, and the epoch it is in. */
async function inTheLog({ eventLog }: Pick<Backend, 'eventLog'> = opened.backend) {
  const extent = (await eventLog.inspect(null))?.extent;
  const eventIds: string[] = [];
  for (let after: LogPosition | undefined = extent?.oldest; after !== undefined; ) {
    const page = await eventLog.readAfter(after, 500);
    eventIds.push(...page.map(({ event }) => event.eventId));
    after = page.at(-1);
  }
  return { epoch: extent?.epoch, eventIds };
}

function once(happening: () => Promise<void>): () => Promise<void> {
  let hasHappened = false;
  return async () => {
    if (hasHappened) return;
    hasHappened = true;
    await happening();
  };
}

/** Only where the log can be lost while the stores are not. */
describe.runIf(inject('backend') === 'cluster')('a log that comes back as it was before', () => {
  it('while a run sleeps after its append, and another one goes on: the first tells its event again', async () => {
    const { backend, copyLog } = opened;
    await publish([aLooseHook()]);
    const before = await inTheLog();
    const restore = await copyLog?.();
    const [slow, quick] = [await aWidgetHook(), aLooseHook()];
    const whileAsleep = once(async () => {
      await restore?.();
      await publish([quick, aLooseHook(), aLooseHook()]);
    });
    const eventLog = instead(backend.eventLog, 'append', async (...args) => {
      const result = await backend.eventLog.append(...args);
      await whileAsleep();
      return result;
    });
    await publish([slow], { ...backend, eventLog });

    await publish([aLooseHook()]);
    const now = await inTheLog();
    expect(now.epoch).toBe(before.epoch);
    expect(now.eventIds).toEqual(expect.arrayContaining([slow.eventId, quick.eventId]));
  });

  it('while a run sleeps after its append, and what others told meanwhile is trimmed past it: it tells again', async () => {
    const own = await openTestBackend({ retentionCount: 3 });
    const { backend, copyLog } = own;
    await publish([aLooseHook()], backend);
    const restore = await copyLog?.();
    const slow = await aWidgetHook(backend);
    const whileAsleep = once(async () => {
      await restore?.();
      await publish(Array.from({ length: 8 }, aLooseHook), backend);
      await backend.eventLog.trim(await backend.runs.lastPosition());
    });
    const eventLog = instead(backend.eventLog, 'append', async (...args) => {
      const result = await backend.eventLog.append(...args);
      await whileAsleep();
      return result;
    });
    await publish([slow], { ...backend, eventLog });
    expect((await inTheLog(backend)).eventIds).toContain(slow.eventId);
    await own.dispose();
  });

  it('while two runs sleep after their appends, and all of that is past what retention keeps: a new epoch begins', async () => {
    const own = await openTestBackend({ retentionCount: 1 });
    const { backend, copyLog } = own;
    await publish([aLooseHook()], backend);
    const before = await inTheLog(backend);
    const restore = await copyLog?.();
    const lost = await aWidgetHook(backend);
    const [hasAppended, mayRecord] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slowRuns = instead(backend.runs, 'recordPosition', async (...args) => {
      hasAppended.resolve();
      await mayRecord.promise;
      return backend.runs.recordPosition(...args);
    });
    let others = Promise.resolve();
    const whileAsleep = once(async () => {
      await restore?.();
      others = publish(Array.from({ length: 8 }, aLooseHook), { ...backend, runs: slowRuns });
      await hasAppended.promise;
      await backend.eventLog.trim(await backend.runs.lastPosition());
    });
    const runs = instead(backend.runs, 'recordPosition', async (...args) => {
      await whileAsleep();
      return backend.runs.recordPosition(...args);
    });
    await publish([lost], { ...backend, runs });
    mayRecord.resolve();
    await others;
    const now = await inTheLog(backend);
    expect(now.eventIds).not.toContain(lost.eventId);
    expect(now.epoch).not.toBe(before.epoch);
    await own.dispose();
  });

  it('while a run sleeps before its append, of which more is told than was lost: a new epoch begins', async () => {
    const { backend, copyLog } = opened;
    await publish([aLooseHook()]);
    const before = await inTheLog();
    const restore = await copyLog?.();
    const lost = await aWidgetHook();
    const whileAsleep = once(async () => {
      await publish([lost]);
      await restore?.();
    });
    const eventLog = instead(backend.eventLog, 'append', async (...args) => {
      await whileAsleep();
      return backend.eventLog.append(...args);
    });
    await publish([aLooseHook(), aLooseHook(), aLooseHook(), aLooseHook()], { ...backend, eventLog });

    await publish([aLooseHook()]);
    const now = await inTheLog();
    expect(now.eventIds).not.toContain(lost.eventId);
    expect(now.epoch).not.toBe(before.epoch);
  });
});
