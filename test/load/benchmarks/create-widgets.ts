/**
 * How many widgets one pod creates per second. The yard-stick is the store's own driver, with as many inserts in
 * flight as the service has connections. On the embedded backend it makes one durable insert after the other; the
 * service commits several creates together.
 */
import { type Benchmark, computeMedian, readListSetting, readSetting, round } from '../benchmark.ts';
import { startChild } from '../drivers/child.ts';
import { listBackends, startMeasuredService } from '../drivers/measured-service.ts';
import type { PostWidgetsCommands, PostWidgetsResult } from '../generators/post-widgets.ts';
import { measureRawInserts } from '../yardsticks/raw-widgets.ts';

const connectionCounts = readListSetting('BENCH_CONNECTIONS', [8, 64]);
const rounds = readSetting('BENCH_ROUNDS', 3);
const seconds = readSetting('BENCH_SECONDS', 3);

/** @public Called by run-benchmark.ts. */
export const run: Benchmark['run'] = async (report) => {
  const generator = await startChild<PostWidgetsCommands>(new URL('../generators/post-widgets.ts', import.meta.url));
  try {
    for (const backend of listBackends()) {
      const service = await startMeasuredService(backend);
      try {
        const { cookie, csrfToken } = service.client;
        const url = `${service.api.url}/api/v1/widgets`;
        for (const connections of connectionCounts) {
          const samples: PostWidgetsResult[] = [];
          const rawRates: number[] = [];
          for (let index = 0; index < rounds; index += 1) {
            samples.push(await generator.call('create', { url, connections, seconds, cookie, csrfToken }));
            rawRates.push(await measureRawInserts(backend, connections, seconds * 1_000));
          }
          const median = (read: (sample: PostWidgetsResult) => number) => computeMedian(samples.map(read));
          const createsPerSecond = median((sample) => sample.created / sample.seconds);
          report({
            figure: 'widgets created',
            ...{ backend, connections },
            ratioToRaw: round(createsPerSecond / computeMedian(rawRates)),
            createsPerSecond: round(createsPerSecond),
            rawInsertsPerSecond: round(computeMedian(rawRates)),
            p50Ms: median((sample) => sample.latencyMs.p50),
            p99Ms: median((sample) => sample.latencyMs.p99),
            notCreated: samples.reduce((sum, { notCreated }) => sum + notCreated, 0),
          });
        }
      } finally {
        await service.dispose();
      }
    }
  } finally {
    await generator.stop();
  }
};
