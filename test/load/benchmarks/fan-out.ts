/**
 * The processor time that a pod spends on one event for one stream. In `bursts`, 16 hooks are in flight all
 * the time. In `lockstep`, the next hook is sent when all streams have the event of the last one. The figure includes
 * all other work of the process: accepting the hooks and, on the embedded backend, carrying them.
 */
import { type Benchmark, computeMedian, readListSetting, readSetting, round } from '../benchmark.ts';
import { startChild } from '../drivers/child.ts';
import { type FanOutServer, startFanOutServers } from '../drivers/fan-out-servers.ts';
import { readProcessorMicros } from '../drivers/processor-time.ts';
import type { PublishOptions, ReadStreamsCommands } from '../generators/read-streams.ts';

const subscriberCounts = readListSetting('BENCH_SUBSCRIBERS', [100, 500, 2_000, 9_000]);
const rounds = readSetting('BENCH_ROUNDS', 3);
/** How many events each round sends to all streams together. */
const deliveriesPerRound = { bursts: 1_000_000, lockstep: 100_000 } as const;
const modes = { bursts: { inFlight: 16 }, lockstep: 'lockstep' } as const satisfies Record<
  string,
  PublishOptions['mode']
>;

interface Sample {
  readonly microsPerDelivery: number;
  readonly deliveriesPerSecond: number;
}

/** @public Called by run-benchmark.ts. */
export const run: Benchmark['run'] = async (report) => {
  const servers = await startFanOutServers();
  try {
    for (const subscribers of subscriberCounts) {
      for (const mode of ['bursts', 'lockstep'] as const) {
        const samples = new Map<FanOutServer, Sample[]>(servers.map((server) => [server, []]));
        for (let index = 0; index < rounds; index += 1) {
          for (const server of servers) samples.get(server)?.push(await measure(server, subscribers, mode));
        }
        const medians = servers.map((server) => ({ server, ...summarise(samples.get(server) ?? []) }));
        const bare = medians.find(({ server }) => server.name === 'bare');
        for (const { server, microsPerDelivery, deliveriesPerSecond } of medians) {
          report({
            figure: `fan-out, ${mode}`,
            ...{ server: server.name, subscribers },
            ratioToBare: round(microsPerDelivery / (bare?.microsPerDelivery ?? Number.NaN)),
            microsPerDelivery: round(microsPerDelivery),
            deliveriesPerSecond: round(deliveriesPerSecond),
          });
        }
      }
    }
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
};

/** No two events have the same number, so that the service sees no duplicates. */
let nextNumber = 1;

async function measure(server: FanOutServer, subscribers: number, mode: keyof typeof modes): Promise<Sample> {
  const reader = await startChild<ReadStreamsCommands>(new URL('../generators/read-streams.ts', import.meta.url));
  try {
    const { streamUrl: url, publishUrl, eventMark } = server;
    await reader.call('open', { url, count: subscribers, opening: 64, eventMark });
    const publish = (events: number) => {
      const bodies = Array.from({ length: events }, () => server.body(nextNumber++));
      return reader.call('publish', { url: publishUrl, bodies, mode: modes[mode] });
    };
    const events = Math.max(20, Math.round(deliveriesPerRound[mode] / subscribers));
    await publish(Math.ceil(events / 10));
    const before = readProcessorMicros(server.pid);
    const { delivered, seconds } = await publish(events);
    const micros = readProcessorMicros(server.pid) - before;
    return { microsPerDelivery: micros / delivered, deliveriesPerSecond: delivered / seconds };
  } finally {
    await reader.stop();
  }
}

function summarise(samples: readonly Sample[]): Sample {
  return {
    microsPerDelivery: computeMedian(samples.map(({ microsPerDelivery }) => microsPerDelivery)),
    deliveriesPerSecond: computeMedian(samples.map(({ deliveriesPerSecond }) => deliveriesPerSecond)),
  };
}
