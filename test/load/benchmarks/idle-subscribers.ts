/**
 * The memory of one open stream on which nothing happens, and the time to open many. The memory is what the
 * resident memory of the process grows by, divided by the number of streams.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type Benchmark, computeMedian, readListSetting, readSetting, round } from '../benchmark.ts';
import { startChild } from '../drivers/child.ts';
import { type FanOutServer, startFanOutServers } from '../drivers/fan-out-servers.ts';
import { readProcessorMicros, readResidentKib } from '../drivers/processor-time.ts';
import type { ReadStreamsCommands } from '../generators/read-streams.ts';

const subscriberCounts = readListSetting('BENCH_SUBSCRIBERS', [5_000]);
const rounds = readSetting('BENCH_ROUNDS', 3);
/** After the streams are open, how long the memory is left to settle. */
const settleMs = 3_000;

interface Sample {
  readonly kibPerStream: number;
  readonly openSeconds: number;
  readonly microsPerOpening: number;
}

/** @public Called by run-benchmark.ts. */
export const run: Benchmark['run'] = async (report) => {
  for (const subscribers of subscriberCounts) {
    const samples: { name: FanOutServer['name']; sample: Sample }[] = [];
    for (let index = 0; index < rounds; index += 1) {
      // Each round measures new processes: a process does not return the memory of closed streams.
      const servers = await startFanOutServers();
      try {
        for (const server of servers) samples.push({ name: server.name, sample: await measure(server, subscribers) });
      } finally {
        await Promise.all(servers.map((server) => server.stop()));
      }
    }
    const median = (name: string, read: (sample: Sample) => number) =>
      computeMedian(samples.filter((entry) => entry.name === name).map(({ sample }) => read(sample)));
    for (const name of new Set(samples.map((entry) => entry.name))) {
      const openSeconds = median(name, (sample) => sample.openSeconds);
      report({
        figure: 'idle streams',
        ...{ server: name, subscribers },
        kibPerStream: round(median(name, (sample) => sample.kibPerStream)),
        openSeconds: round(openSeconds),
        openRatioToBare: round(openSeconds / median('bare', (sample) => sample.openSeconds)),
        microsPerOpening: round(median(name, (sample) => sample.microsPerOpening)),
      });
    }
  }
};

async function measure(server: FanOutServer, count: number): Promise<Sample> {
  const reader = await startChild<ReadStreamsCommands>(new URL('../generators/read-streams.ts', import.meta.url));
  try {
    const kibBefore = readResidentKib(server.pid);
    const microsBefore = readProcessorMicros(server.pid);
    const { streamUrl: url, eventMark } = server;
    const { seconds } = await reader.call('open', { url, count, opening: 64, eventMark });
    const microsPerOpening = (readProcessorMicros(server.pid) - microsBefore) / count;
    await delay(settleMs);
    return { kibPerStream: (readResidentKib(server.pid) - kibBefore) / count, openSeconds: seconds, microsPerOpening };
  } finally {
    await reader.stop();
  }
}
