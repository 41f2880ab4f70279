/**
 * The processor time that one hook costs each process when nothing shares the work: hooks come every 50 ms, and each
 * pod holds one stream. What the processes use while nothing happens is subtracted.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type Benchmark, readSetting, round } from '../benchmark.ts';
import { startChild } from '../drivers/child.ts';
import { createPublishedWidgets, listBackends, startMeasuredService } from '../drivers/measured-service.ts';
import { readProcessorMicros, readRedisProcessorMicros } from '../drivers/processor-time.ts';
import { buildHook } from '../generators/build-hook.ts';
import type { PublishMode, ReadStreamsCommands } from '../generators/read-streams.ts';

const hooks = readSetting('BENCH_HOOKS', 400);
const everyMs = 25;
/** Until Node has compiled the code: without them, a hook costs the accepting pod 1.6 times as much. */
const warmUpHooks = 20_000;

/** @public Called by run-benchmark.ts. */
export const run: Benchmark['run'] = async (report) => {
  for (const backend of listBackends()) {
    const service = await startMeasuredService(backend);
    const reader = await startChild<ReadStreamsCommands>(new URL('../generators/read-streams.ts', import.meta.url));
    try {
      const worker = await service.startWorker();
      const otherPod = backend === 'cluster' ? await service.startApi() : null;
      const { url } = await service.client.createIntegration('benchmark');
      const { url: streamUrl } = await service.client.createSubscription('benchmark');
      const widgetIds = await createPublishedWidgets(service, 100);
      await reader.call('open', { url: streamUrl, count: 1, opening: 1, eventMark: '\nevent: widget.' });
      const readAll = async () => ({
        acceptingPod: readProcessorMicros(service.api.pid),
        otherPod: otherPod === null ? 0 : readProcessorMicros(otherPod.pid),
        worker: backend === 'embedded' ? 0 : readProcessorMicros(worker.pid),
        redis: service.redis === null ? 0 : await readRedisProcessorMicros(service.redis),
      });
      let nextNumber = 0;
      const publish = (count: number, mode: PublishMode = { everyMs }) => {
        const bodies = Array.from({ length: count }, () => buildHook(widgetIds, nextNumber++));
        return reader.call('publish', { url, bodies, mode });
      };
      await publish(warmUpHooks, { inFlight: 8 });
      await publish(200);
      await delay(1_000);
      const start = await readAll();
      await delay(hooks * everyMs);
      const idle = await readAll();
      const { latencyMs } = await publish(hooks);
      const end = await readAll();
      const perHook = (name: keyof typeof start) =>
        round((end[name] - idle[name] - (idle[name] - start[name])) / hooks);
      report({
        figure: 'a lone hook',
        ...{ backend, everyMs },
        acceptingPodMicros: perHook('acceptingPod'),
        otherPodMicros: otherPod === null ? null : perHook('otherPod'),
        workerMicros: backend === 'embedded' ? null : perHook('worker'),
        redisMicros: service.redis === null ? null : perHook('redis'),
        idleMicrosPerSecond: round((idle.acceptingPod - start.acceptingPod) / ((hooks * everyMs) / 1_000)),
        p50Ms: round(latencyMs?.['50'] ?? Number.NaN),
        p99Ms: round(latencyMs?.['99'] ?? Number.NaN),
      });
    } finally {
      await reader.stop();
      await service.dispose();
    }
  }
};
