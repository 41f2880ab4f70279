import { collectDefaultMetrics, Registry } from 'prom-client';
import { hookMetrics } from './hook-metrics.ts';
import { processMetrics } from './process-metrics.ts';
import { requestMetrics } from './request-metrics.ts';
import { storeMetrics } from './store-metrics.ts';
import { streamMetrics } from './stream-metrics.ts';

export type Metrics = ReturnType<typeof createMetrics>;

/** Which part of the service a process is. The embedded process is both. */
export type MetricsRole = 'api' | 'worker' | 'embedded';

const misnamed = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

/**
 * Creates the metrics of a process in a registry of their own, so that tests can create several. All metrics exist in
 * every process. The registry, and so a scrape, has only those of the process's role.
 */
export function createMetrics(role: MetricsRole = 'embedded') {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  // Gauges whose names say counter: `promtool check metrics` objects. `nodejs_active_resources` has the same by type.
  for (const name of misnamed) registry.removeSingleMetric(name);
  const forAll = [registry];
  const forApi = role === 'worker' ? [] : [registry];
  const forWorker = role === 'api' ? [] : [registry];
  return {
    registry,
    ...processMetrics(forAll),
    ...storeMetrics(forAll),
    ...requestMetrics(forApi),
    ...streamMetrics(forApi),
    ...hookMetrics({ forApi, forWorker }),
  };
}
