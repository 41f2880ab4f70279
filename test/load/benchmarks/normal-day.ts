/**
 * What two pods and two workers use on a normal day: a few hooks a second, half of them to each pod, and ten streams on
 * each pod. Batches are small then, so a hook costs several times what it costs a busy process. What the processes use
 * while nothing happens counts, too: it is part of the day. Only on the cluster.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { withOrigin } from '../../drivers/cluster/service-process.ts';
import { type Benchmark, readListSetting, readSetting, round } from '../benchmark.ts';
import { startChild } from '../drivers/child.ts';
import { createPublishedWidgets, listBackends, startMeasuredService } from '../drivers/measured-service.ts';
import { readProcessorMicros, readRedisProcessorMicros } from '../drivers/processor-time.ts';
import { buildHook } from '../generators/build-hook.ts';
import type { PublishMode, ReadStreamsCommands } from '../generators/read-streams.ts';

const rates = readListSetting('BENCH_HOOKS_PER_SECOND', [10, 100, 300]);
const seconds = readSetting('BENCH_SECONDS', 30);
const streamsPerPod = 10;
/** Until Node has compiled the code. */
const warmUpHooksPerPod = 10_000;

/** @public Called by run-benchmark.ts. */
export const run: Benchmark['run'] = async (report) => {
  if (!listBackends().includes('cluster')) return;
  const service = await startMeasuredService('cluster');
  const clients = await Promise.all(
    [0, 1].map(() => startChild<ReadStreamsCommands>(new URL('../generators/read-streams.ts', import.meta.url))),
  );
  try {
    const workers = [await service.startWorker(), await service.startWorker()];
    const pods = [service.api, await service.startApi()];
    const { url } = await service.client.createIntegration('benchmark');
    const { url: streamUrl } = await service.client.createSubscription('benchmark');
    const widgetIds = await createPublishedWidgets(service, 1_000);
    const onEachPod = <T>(work: (client: (typeof clients)[number], pod: (typeof pods)[number]) => Promise<T>) =>
      Promise.all(pods.map((pod, index) => work(clients[index]!, pod)));
    await onEachPod((client, pod) =>
      client.call('open', {
        ...{ url: withOrigin(pod, streamUrl), count: streamsPerPod, opening: streamsPerPod },
        eventMark: '\nevent: widget.',
      }),
    );
    let nextNumber = 0;
    const publish = (hooksPerPod: number, mode: PublishMode) =>
      onEachPod((client, pod) => {
        const bodies = Array.from({ length: hooksPerPod }, () => buildHook(widgetIds, nextNumber++));
        const eventsPerStream = hooksPerPod * pods.length;
        return client.call('publish', { url: withOrigin(pod, url), bodies, mode, eventsPerStream });
      });
    const readAll = async () => ({
      pods: pods.reduce((sum, { pid }) => sum + readProcessorMicros(pid), 0),
      workers: workers.reduce((sum, { pid }) => sum + readProcessorMicros(pid), 0),
      redis: service.redis === null ? 0 : await readRedisProcessorMicros(service.redis),
    });
    const measure = async (hooks: number, work: () => Promise<unknown>) => {
      await delay(1_000);
      const [before, startedMs] = [await readAll(), performance.now()];
      await work();
      const [after, passedMs] = [await readAll(), performance.now() - startedMs];
      // Less than asked for if the machine cannot keep the pace.
      const hooksPerSecond = round((hooks / passedMs) * 1_000);
      const cores = (name: keyof typeof before) => round((after[name] - before[name]) / 1_000 / passedMs);
      const all = { podsCores: cores('pods'), workersCores: cores('workers'), redisCores: cores('redis') };
      report({ figure: 'a normal day', backend: 'cluster', hooksPerSecond, ...all });
    };
    await publish(warmUpHooksPerPod, { inFlight: 8 });
    await measure(0, () => delay(seconds * 1_000));
    for (const rate of rates) {
      const perPod = rate / pods.length;
      await measure(rate * seconds, () => publish(perPod * seconds, { everyMs: 1_000 / perPod }));
    }
  } finally {
    await Promise.all(clients.map((client) => client.stop()));
    await service.dispose();
  }
};
