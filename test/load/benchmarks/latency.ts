/**
 * The time from the answer to a hook until its event is on each of many streams, at 200 hooks per second on 500 streams
 * by default. With several subscriptions, each shows its share of the widgets. The benchmark waits until every stream
 * has all its events: it fails if one is missing.
 */
import { type Benchmark, readSetting, round } from '../benchmark.ts';
import { startChild } from '../drivers/child.ts';
import { createPublishedWidgets, listBackends, startMeasuredService } from '../drivers/measured-service.ts';
import { readProcessorMicros, readResidentKib } from '../drivers/processor-time.ts';
import { buildHook } from '../generators/build-hook.ts';
import type { ReadStreamsCommands } from '../generators/read-streams.ts';

const subscribers = readSetting('BENCH_SUBSCRIBERS', 500);
const subscriptions = readSetting('BENCH_SUBSCRIPTIONS', 1);
const hooksPerSecond = readSetting('BENCH_HOOKS_PER_SECOND', 200);
const seconds = readSetting('BENCH_SECONDS', 20);
const widgetsPerSubscription = Math.ceil(1_000 / subscriptions);

/** @public Called by run-benchmark.ts. */
export const run: Benchmark['run'] = async (report) => {
  for (const backend of listBackends()) {
    const service = await startMeasuredService(backend);
    const reader = await startChild<ReadStreamsCommands>(new URL('../generators/read-streams.ts', import.meta.url));
    try {
      await service.startWorker();
      const { api, client } = service;
      const { url } = await client.createIntegration('benchmark');
      const widgetIds = await createPublishedWidgets(service, subscriptions * widgetsPerSubscription);
      for (let index = 0; index < subscriptions; index += 1) {
        const own = widgetIds.filter((_, at) => at % subscriptions === index);
        const filter = subscriptions === 1 ? {} : { widgetIds: own };
        const response = await client.request('POST', '/api/v1/subscriptions', { name: 'benchmark', filter });
        const { url: streamUrl } = (await response.json()) as { url: string };
        const count = Math.round(subscribers / subscriptions);
        await reader.call('open', { url: streamUrl, count, opening: 64, eventMark: '\nevent: widget.' });
      }
      let nextNumber = 0;
      const publish = (forSeconds: number) => {
        // Whole rounds over the subscriptions: each stream gets the same number of events.
        const eventsPerStream = Math.round((hooksPerSecond * forSeconds) / subscriptions);
        const count = eventsPerStream * subscriptions;
        const bodies = Array.from({ length: count }, () => buildHook(widgetIds, nextNumber++));
        return reader.call('publish', { url, bodies, eventsPerStream, mode: { everyMs: 1_000 / hooksPerSecond } });
      };
      await publish(2);
      const [microsBefore, kibBefore] = [readProcessorMicros(api.pid), readResidentKib(api.pid)];
      const result = await publish(seconds);
      const common = { backend, subscribers, subscriptions, hooksPerSecond };
      report({
        figure: 'streams under hooks',
        ...common,
        delivered: result.delivered,
        apiProcessorShare: round((readProcessorMicros(api.pid) - microsBefore) / 1e6 / result.seconds),
        memoryGrowthKib: readResidentKib(api.pid) - kibBefore,
      });
      for (const [percentile, ms] of Object.entries(result.latencyMs ?? {})) {
        report({ figure: 'hook to stream', ...common, percentile: Number(percentile), ms: round(ms) });
      }
    } finally {
      await reader.stop();
      await service.dispose();
    }
  }
};
