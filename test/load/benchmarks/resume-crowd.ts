/**
 * A crowd of clients reconnects at once, each from 1 000 events ago. Shows how long it takes until all of them
 * have caught up, and how often the pod reads the event log for them: per pod, not per client.
 */

import { openStream } from '../../drivers/streams/stream-client.ts';
import { type Benchmark, computeMedian, readListSetting, readSetting, round } from '../benchmark.ts';
import { startChild } from '../drivers/child.ts';
import {
  createPublishedWidgets,
  listBackends,
  type MeasuredService,
  startMeasuredService,
} from '../drivers/measured-service.ts';
import { readProcessorMicros } from '../drivers/processor-time.ts';
import { buildHook } from '../generators/build-hook.ts';
import type { ReadStreamsCommands } from '../generators/read-streams.ts';

const clientCounts = readListSetting('BENCH_SUBSCRIBERS', [500, 5_000]);
const rounds = readSetting('BENCH_ROUNDS', 3);
const missedEvents = readSetting('BENCH_EVENTS', 1_000);

/** @public Called by run-benchmark.ts. */
export const run: Benchmark['run'] = async (report) => {
  for (const backend of listBackends()) {
    const service = await startMeasuredService(backend);
    try {
      await service.startWorker();
      const { url: streamUrl } = await service.client.createSubscription('benchmark');
      const lastEventId = await publishEvents(service, streamUrl);
      for (const clients of clientCounts) {
        const samples = [];
        for (let index = 0; index < rounds; index += 1)
          samples.push(await measure(service, { streamUrl, lastEventId, clients }));
        report({
          figure: 'a crowd resumes',
          ...{ backend, clients, missedEvents },
          seconds: round(computeMedian(samples.map((sample) => sample.seconds))),
          apiMicrosPerEvent: round(computeMedian(samples.map((sample) => sample.apiMicrosPerEvent))),
          logReads: computeMedian(samples.map((sample) => sample.logReads)),
        });
      }
    } finally {
      await service.dispose();
    }
  }
};

/** Publishes the events that the clients have missed. Returns the position before them. */
async function publishEvents(service: MeasuredService, streamUrl: string): Promise<string> {
  const { url } = await service.client.createIntegration('benchmark');
  const widgetIds = await createPublishedWidgets(service, 100);
  const stream = await openStream(streamUrl);
  await stream.until(() => stream.events.length > 0, 'the stream is open');
  const position = stream.events[0]?.id ?? '';
  for (let number = 0; number < missedEvents; number += 100) {
    const posts = Array.from({ length: 100 }, (_, index) =>
      fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: buildHook(widgetIds, number + index),
      }),
    );
    await Promise.all(posts);
  }
  await stream.until(() => stream.widgetEvents().length >= missedEvents, 'all events are published');
  stream.close();
  return position;
}

interface Crowd {
  readonly streamUrl: string;
  readonly lastEventId: string;
  readonly clients: number;
}

async function measure({ api, redis }: MeasuredService, { streamUrl, lastEventId, clients }: Crowd) {
  const reader = await startChild<ReadStreamsCommands>(new URL('../generators/read-streams.ts', import.meta.url));
  try {
    const countReads = async () => (redis === null ? 0 : countCalls(await redis.info('commandstats'), 'xrange'));
    const [microsBefore, readsBefore] = [readProcessorMicros(api.pid), await countReads()];
    const startedMs = performance.now();
    const eventMark = '\nevent: widget.';
    await reader.call('open', { url: streamUrl, count: clients, opening: clients, eventMark, lastEventId });
    await reader.call('receive', { events: missedEvents });
    return {
      seconds: (performance.now() - startedMs) / 1_000,
      apiMicrosPerEvent: (readProcessorMicros(api.pid) - microsBefore) / (clients * missedEvents),
      logReads: (await countReads()) - readsBefore,
    };
  } finally {
    await reader.stop();
  }
}

function countCalls(commandStats: string, command: string): number {
  return Number(new RegExp(`^cmdstat_${command}:calls=(\\d+)`, 'm').exec(commandStats)?.[1] ?? 0);
}
