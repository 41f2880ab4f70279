import process from 'node:process';
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Backend } from '../ports/backend.ts';
import { readServiceVersion } from '../runtime/process-identity.ts';
import { hookMetrics } from './hook-metrics.ts';
import { formatOpenMetrics, openMetricsContentType, prefersOpenMetrics } from './open-metrics.ts';
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

/** Makes the function that formats a registry's metrics in the format that a scrape's `Accept` header asks for. */
export function makeFormatMetrics(registry: Registry) {
  return async (accept: string | undefined) =>
    prefersOpenMetrics(accept)
      ? { text: await formatOpenMetrics(registry), contentType: openMetricsContentType }
      : { text: await registry.metrics(), contentType: registry.contentType };
}

/** Sets `widget_build_info`. */
export function recordBuild({ buildInfo }: Pick<Metrics, 'buildInfo'>, backend: Backend['kind']): void {
  buildInfo.set({ version: readServiceVersion(), node: process.versions.node, backend }, 1);
}
