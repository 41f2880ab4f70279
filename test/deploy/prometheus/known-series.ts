import { createMetrics } from '@widget-service/shared/metrics/metrics.ts';
import { loadRules } from './rule-files.ts';

/** Returns the labels of each series name that the service, its recording rules or Prometheus itself makes. */
export async function listKnownSeries(): Promise<Map<string, readonly string[]>> {
  const { registry } = createMetrics('embedded');
  const known = new Map<string, readonly string[]>([
    ['up', []],
    ['ALERTS', ['alertname', 'alertstate', 'severity']],
  ]);
  for (const { name, type } of await registry.getMetricsAsJSON()) {
    const { labelNames } = registry.getSingleMetric(name) as unknown as { labelNames: readonly string[] };
    const suffixes = String(type) === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
    for (const suffix of suffixes) known.set(`${name}${suffix}`, labelNames);
  }
  for (const { record, labels = {} } of loadRules()) {
    if (record !== undefined) known.set(record, Object.keys(labels));
  }
  return known;
}
