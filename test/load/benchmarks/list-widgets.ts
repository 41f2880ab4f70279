/**
 * The time of one list request as the number of widgets grows: the first page, a page in the middle, and the first
 * page of the retired ones. The first page must not depend on the number of widgets.
 */
import { type Benchmark, computeMedian, readListSetting, readSetting, round } from '../benchmark.ts';
import {
  createManyWidgets,
  listBackends,
  type MeasuredService,
  startMeasuredService,
} from '../drivers/measured-service.ts';
import { readProcessorMicros } from '../drivers/processor-time.ts';

const widgetCounts = readListSetting('BENCH_WIDGETS', [1_000, 10_000]);
const requests = readSetting('BENCH_REQUESTS', 200);
const perPage = 50;

/** @public Called by run-benchmark.ts. */
export const run: Benchmark['run'] = async (report) => {
  for (const backend of listBackends()) {
    const service = await startMeasuredService(backend);
    try {
      let existing = 0;
      for (const widgets of widgetCounts) {
        await createManyWidgets(service.client, widgets - existing);
        existing = widgets;
        const queries = {
          'first page': `pageSize=${perPage}`,
          'middle page': `pageSize=${perPage}&page=${Math.ceil(widgets / perPage / 2)}`,
          'first retired page': `pageSize=${perPage}&state=retired`,
        };
        for (const [page, query] of Object.entries(queries)) {
          report({ figure: 'widgets listed', ...{ backend, widgets, page }, ...(await measure(service, query)) });
        }
      }
    } finally {
      await service.dispose();
    }
  }
};

async function measure({ api, client }: MeasuredService, query: string) {
  const times: number[] = [];
  const get = async () => {
    const response = await client.request('GET', `/api/v1/widgets?${query}`);
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`a list was answered ${response.status}`);
  };
  for (let index = 0; index < 20; index += 1) await get();
  const microsBefore = readProcessorMicros(api.pid);
  for (let index = 0; index < requests; index += 1) {
    const startedMs = performance.now();
    await get();
    times.push(performance.now() - startedMs);
  }
  const apiMicrosPerRequest = (readProcessorMicros(api.pid) - microsBefore) / requests;
  return { p50Ms: round(computeMedian(times)), apiMicrosPerRequest: round(apiMicrosPerRequest) };
}
