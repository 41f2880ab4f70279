import type { Registry } from 'prom-client';
import { formatOpenMetrics, openMetricsContentType, prefersOpenMetrics } from './open-metrics.ts';

/** Makes the function that formats a registry's metrics in the format that a scrape's `Accept` header asks for. */
export function makeFormatMetrics(registry: Registry) {
  return async (accept: string | undefined) =>
    prefersOpenMetrics(accept)
      ? { text: await formatOpenMetrics(registry), contentType: openMetricsContentType }
      : { text: await registry.metrics(), contentType: registry.contentType };
}
