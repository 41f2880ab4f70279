/**
 * How many hooks one pod accepts per second, and what processor time each costs. The yard-stick is fastify
 * with the same schema, which answers 202 and stores nothing. On the cluster no worker runs. On the embedded backend
 * the same process also processes the hooks, so their effects and events are part of the cost.
 */
import { type Benchmark, computeMedian, type Report, readListSetting, readSetting, round } from '../benchmark.ts';
import { startChild } from '../drivers/child.ts';
import {
  createManyWidgets,
  listBackends,
  type MeasuredService,
  startMeasuredService,
} from '../drivers/measured-service.ts';
import { readProcessorMicros, readRedisProcessorMicros } from '../drivers/processor-time.ts';
import { postHooks } from '../generators/post-hooks.ts';
import type { BareAcceptCommands } from '../yardsticks/bare-accept.ts';

const connectionCounts = readListSetting('BENCH_CONNECTIONS', [1, 8, 64, 256, 512]);
const rounds = readSetting('BENCH_ROUNDS', 3);
const seconds = readSetting('BENCH_SECONDS', 4);
const widgetCount = readSetting('BENCH_WIDGETS', 1_000);

interface Sample {
  readonly hooksPerSecond: number;
  readonly apiMicrosPerHook: number;
  readonly redisMicrosPerHook: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Hooks without a 202: refused with a problem, or failed without a response. */
  readonly notAccepted: number;
}

/** @public Called by run-benchmark.ts. */
export const run: Benchmark['run'] = async (report) => {
  const bare = await startChild<BareAcceptCommands>(new URL('../yardsticks/bare-accept.ts', import.meta.url));
  const { url: bareUrl } = await bare.call('listen', null);
  try {
    for (const backend of listBackends()) {
      const service = await startMeasuredService(backend, { HOOK_BACKLOG_MAX: '10000000' });
      try {
        await measureService(service, { pid: bare.pid, url: bareUrl }, report);
      } finally {
        await service.dispose();
      }
    }
  } finally {
    await bare.stop();
  }
};

async function measureService(
  service: MeasuredService,
  bare: { readonly pid: number; readonly url: string },
  report: Report,
): Promise<void> {
  const { url } = await service.client.createIntegration('benchmark');
  const widgetIds = await createManyWidgets(service.client, widgetCount);
  const readRedis = () => (service.redis === null ? Promise.resolve(0) : readRedisProcessorMicros(service.redis));
  const measure = async (target: string, pid: number, connections: number): Promise<Sample> => {
    const [apiBefore, redisBefore] = [readProcessorMicros(pid), await readRedis()];
    const result = await postHooks({ url: target, connections, seconds, widgetIds });
    const [apiAfter, redisAfter] = [readProcessorMicros(pid), await readRedis()];
    return {
      hooksPerSecond: result.accepted / result.seconds,
      apiMicrosPerHook: (apiAfter - apiBefore) / result.accepted,
      redisMicrosPerHook: (redisAfter - redisBefore) / result.accepted,
      p50Ms: result.latencyMs.p50,
      p99Ms: result.latencyMs.p99,
      notAccepted: result.refused + result.failed,
    };
  };
  await measure(url, service.api.pid, 64);
  await measure(bare.url, bare.pid, 64);
  for (const connections of connectionCounts) {
    const samples: Sample[] = [];
    const bareSamples: Sample[] = [];
    for (let index = 0; index < rounds; index += 1) {
      samples.push(await measure(url, service.api.pid, connections));
      bareSamples.push(await measure(bare.url, bare.pid, connections));
    }
    const median = (of: readonly Sample[], read: (sample: Sample) => number) => computeMedian(of.map(read));
    const hooksPerSecond = median(samples, (sample) => sample.hooksPerSecond);
    const bareHooksPerSecond = median(bareSamples, (sample) => sample.hooksPerSecond);
    report({
      figure: 'hooks accepted',
      ...{ backend: service.backend, connections },
      ratioToBare: round(hooksPerSecond / bareHooksPerSecond),
      hooksPerSecond: round(hooksPerSecond),
      bareHooksPerSecond: round(bareHooksPerSecond),
      apiMicrosPerHook: round(median(samples, (sample) => sample.apiMicrosPerHook)),
      bareMicrosPerHook: round(median(bareSamples, (sample) => sample.apiMicrosPerHook)),
      redisMicrosPerHook: round(median(samples, (sample) => sample.redisMicrosPerHook)),
      p50Ms: median(samples, (sample) => sample.p50Ms),
      p99Ms: median(samples, (sample) => sample.p99Ms),
      notAccepted: samples.reduce((sum, { notAccepted }) => sum + notAccepted, 0),
    });
  }
}
