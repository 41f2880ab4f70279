/**
 * Many subscribers and many hooks together, for minutes: 9 000 streams and 1 000 hooks per second for two minutes by
 * default. Each stream shows one of 90 labels, and each hook names a widget with one label, so a hook reaches 100
 * streams. The benchmark waits until every stream has all its events: it fails if one of them is missing.
 */
import { type Benchmark, readSetting, round } from '../benchmark.ts';
import { startChild } from '../drivers/child.ts';
import {
  listBackends,
  type MeasuredService,
  startMeasuredService,
  waitForEvents,
} from '../drivers/measured-service.ts';
import { readProcessorMicros, readResidentKib } from '../drivers/processor-time.ts';
import { buildHook } from '../generators/build-hook.ts';
import type { ReadStreamsCommands } from '../generators/read-streams.ts';

const subscribers = readSetting('BENCH_SUBSCRIBERS', 9_000);
const hooksPerSecond = readSetting('BENCH_HOOKS_PER_SECOND', 1_000);
const seconds = readSetting('BENCH_SECONDS', 120);
const labelCount = 90;

/** @public Called by run-benchmark.ts. */
export const run: Benchmark['run'] = async (report) => {
  for (const backend of listBackends()) {
    const service = await startMeasuredService(backend);
    const reader = await startChild<ReadStreamsCommands>(new URL('../generators/read-streams.ts', import.meta.url));
    try {
      await service.startWorker();
      const { url } = await service.client.createIntegration('benchmark');
      const widgetIds = await createLabelledWidgets(service);
      await waitForEvents(service, widgetIds.length);
      for (let label = 0; label < labelCount; label += 1) {
        const streamUrl = await subscribeTo(service, label);
        const count = Math.round(subscribers / labelCount);
        await reader.call('open', { url: streamUrl, count, opening: 64, eventMark: '\nevent: widget.' });
      }
      let nextNumber = 0;
      // Whole rounds over the widgets, so that each stream gets the same number of events.
      const publish = (forSeconds: number) => {
        const rounds = Math.round((hooksPerSecond * forSeconds) / widgetIds.length);
        const bodies = Array.from({ length: rounds * widgetIds.length }, () => buildHook(widgetIds, nextNumber++));
        const eventsPerStream = bodies.length / labelCount;
        return reader.call('publish', { url, bodies, eventsPerStream, mode: { everyMs: 1_000 / hooksPerSecond } });
      };
      await publish(5);
      const [microsBefore, kibBefore] = [readProcessorMicros(service.api.pid), readResidentKib(service.api.pid)];
      const result = await publish(seconds);
      report({
        figure: 'endurance',
        ...{ backend, subscribers, hooksPerSecond },
        seconds: round(result.seconds),
        delivered: result.delivered,
        apiProcessorShare: round((readProcessorMicros(service.api.pid) - microsBefore) / 1e6 / result.seconds),
        memoryGrowthKib: readResidentKib(service.api.pid) - kibBefore,
        p50Ms: round(result.latencyMs?.['50'] ?? Number.NaN),
        p99Ms: round(result.latencyMs?.['99'] ?? Number.NaN),
        p999Ms: round(result.latencyMs?.['99.9'] ?? Number.NaN),
      });
    } finally {
      await reader.stop();
      await service.dispose();
    }
  }
};

/** Ten widgets per label. The hooks go through them in turn, so they go through the labels in turn. */
async function createLabelledWidgets({ client }: MeasuredService): Promise<string[]> {
  const ids: string[] = [];
  for (let round = 0; round < 10; round += 1) {
    const created = await Promise.all(
      Array.from({ length: labelCount }, (_, label) =>
        client.createWidget({ name: `widget ${round}`, labels: [`label-${label}`] }),
      ),
    );
    for (const response of created) ids.push(((await response.json()) as { id: string }).id);
  }
  return ids;
}

async function subscribeTo({ client }: MeasuredService, label: number): Promise<string> {
  const body = { name: `label ${label}`, filter: { labels: [`label-${label}`] } };
  const response = await client.request('POST', '/api/v1/subscriptions', body);
  if (response.status !== 201) throw new Error(`a subscription was answered ${response.status}`);
  return ((await response.json()) as { url: string }).url;
}
