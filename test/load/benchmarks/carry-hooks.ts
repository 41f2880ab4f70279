/**
 * How many hooks one worker carries per second, from a full queue to the event log, and what processor time each
 * costs. The yard-stick is the store's own driver that makes the same writes in batches of the same size.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type Benchmark, computeMedian, readListSetting, readSetting, round } from '../benchmark.ts';
import { createManyWidgets, listBackends, startMeasuredService, waitForEvents } from '../drivers/measured-service.ts';
import { readProcessorMicros } from '../drivers/processor-time.ts';
import { postHooks } from '../generators/post-hooks.ts';
import { measureRawWrites } from '../yardsticks/raw-writes.ts';

const seconds = readSetting('BENCH_SECONDS', 2);
const rounds = readSetting('BENCH_ROUNDS', 3);
/** How often the count of events is read. */
const pollMs = 20;
const widgetCounts = readListSetting('BENCH_WIDGETS', [1_000, 10_000]);

/** @public Called by run-benchmark.ts. */
export const run: Benchmark['run'] = async (report) => {
  for (const backend of listBackends()) {
    for (const widgets of widgetCounts) {
      const rates: number[] = [];
      const rawRates: number[] = [];
      const costs: number[] = [];
      for (let index = 0; index < rounds; index += 1) {
        rawRates.push(await measureRawWrites(backend, widgets));
        const { hooksPerSecond, workerMicrosPerHook } = await measureService(backend, widgets);
        rates.push(hooksPerSecond);
        costs.push(workerMicrosPerHook);
      }
      report({
        figure: 'hooks carried',
        ...{ backend, widgets },
        ratioToRaw: round(computeMedian(rates) / computeMedian(rawRates)),
        hooksPerSecond: round(computeMedian(rates)),
        rawHooksPerSecond: round(computeMedian(rawRates)),
        workerMicrosPerHook: round(computeMedian(costs)),
      });
    }
  }
};

async function measureService(backend: 'embedded' | 'cluster', widgetCount: number) {
  const service = await startMeasuredService(backend, { HOOK_BACKLOG_MAX: '10000000' });
  try {
    const { url } = await service.client.createIntegration('benchmark');
    const widgetIds = await createManyWidgets(service.client, widgetCount);
    // On the cluster, no worker has published the creations yet: they count as hooks.
    const creations = backend === 'cluster' ? widgetCount : 0;
    if (backend === 'embedded') await waitForEvents(service, widgetCount);
    const eventsBefore = await service.countEvents();
    // On the cluster, the queue is full before the worker starts. On the embedded backend accepting and carrying share
    // one process, so both count.
    const posting = postHooks({ url, connections: 64, seconds, widgetIds });
    if (backend === 'cluster') await posting;
    const worker = await service.startWorker();
    const microsBefore = readProcessorMicros(worker.pid);
    // The start of the worker does not count. Nor do the hooks that it has carried by the first look.
    let carriedFirst = 0;
    while (carriedFirst === 0) {
      await delay(pollMs);
      carriedFirst = (await service.countEvents()) - eventsBefore;
    }
    const startedMs = performance.now();
    const events = (await posting).accepted + creations;
    if (carriedFirst > events / 2) throw new Error('too few hooks for a rate: raise BENCH_SECONDS');
    await waitForEvents(service, eventsBefore + events);
    return {
      hooksPerSecond: (events - carriedFirst) / ((performance.now() - startedMs) / 1_000),
      workerMicrosPerHook: (readProcessorMicros(worker.pid) - microsBefore) / events,
    };
  } finally {
    await service.dispose();
  }
}
