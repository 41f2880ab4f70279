/**
 * The time from the answer to a hook until its event is on each of many streams, at a moderate rate: 200 hooks per
 * second and 500 streams by default.
 */
import { type Benchmark, readSetting, round } from '../benchmark.ts';
import { startChild } from '../drivers/child.ts';
import { createPublishedWidgets, listBackends, startMeasuredService } from '../drivers/measured-service.ts';
import { buildHook } from '../generators/build-hook.ts';
import type { ReadStreamsCommands } from '../generators/read-streams.ts';

const subscribers = readSetting('BENCH_SUBSCRIBERS', 500);
const hooksPerSecond = readSetting('BENCH_HOOKS_PER_SECOND', 200);
const seconds = readSetting('BENCH_SECONDS', 20);

/** @public Called by run-benchmark.ts. */
export const run: Benchmark['run'] = async (report) => {
  for (const backend of listBackends()) {
    const service = await startMeasuredService(backend);
    const reader = await startChild<ReadStreamsCommands>(new URL('../generators/read-streams.ts', import.meta.url));
    try {
      await service.startWorker();
      const { url } = await service.client.createIntegration('benchmark');
      const { url: streamUrl } = await service.client.createSubscription('benchmark');
      const widgetIds = await createPublishedWidgets(service, 1_000);
      await reader.call('open', { url: streamUrl, count: subscribers, opening: 64, eventMark: '\nevent: widget.' });
      let nextNumber = 0;
      const publish = (count: number) => {
        const bodies = Array.from({ length: count }, () => buildHook(widgetIds, nextNumber++));
        return reader.call('publish', { url, bodies, mode: { everyMs: 1_000 / hooksPerSecond } });
      };
      await publish(hooksPerSecond * 2);
      const { latencyMs } = await publish(hooksPerSecond * seconds);
      for (const [percentile, ms] of Object.entries(latencyMs ?? {})) {
        report({
          figure: 'hook to stream',
          backend,
          subscribers,
          hooksPerSecond,
          percentile: Number(percentile),
          ms: round(ms),
        });
      }
    } finally {
      await reader.stop();
      await service.dispose();
    }
  }
};
