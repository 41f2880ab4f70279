import process from 'node:process';
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Backend } from '../ports/backend.ts';
import { readServiceVersion } from '../runtime/process-identity.ts';
import { hookMetrics } from './hook-metrics.ts';
import { formatInTurns, formatOpenMetrics, openMetricsContentType, prefersOpenMetrics } from './open-metrics.ts';
import { processMetrics } from './process-metrics.ts';
import { requestMetrics } from './request-metrics.ts';
import { fileMetrics, storeMetrics } from './store-metrics.ts';
import { streamMetrics } from './stream-metrics.ts';

export type Metrics = ReturnType<typeof createMetrics>;

/** Which part of the service a process is. The embedded process is both. */
export type MetricsRole = 'api' | 'worker' | 'embedded';

/**
 * Metrics of prom-client that list every open socket at each scrape: with 10 000 streams, that stops the event loop for
 * milliseconds. `widget_connections_open` and `process_open_fds` say the same.
 */
const expensive = ['handles', 'requests', 'resources'].flatMap((noun) => [
  `nodejs_active_${noun}`,
  `nodejs_active_${noun}_total`,
]);

/**
 * Creates the metrics of a process in a registry of their own, so that tests can create several. All metrics exist in
 * every process. The registry, and so a scrape, has only those of the process's role.
 */
export function createMetrics(role: MetricsRole = 'embedded') {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of expensive) registry.removeSingleMetric(name);
  const forAll = [registry];
  const forApi = role === 'worker' ? [] : [registry];
  const forWorker = role === 'api' ? [] : [registry];
  return {
    registry,
    ...processMetrics(forAll),
    ...storeMetrics(forAll),
    ...fileMetrics(role === 'embedded' ? [registry] : []),
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
      : { text: await formatPlainText(registry), contentType: registry.contentType };
}

/** Formats the metrics of a registry in Prometheus' own text format. */
async function formatPlainText(registry: Registry): Promise<string> {
  const families = await formatInTurns(registry, ({ name }) => registry.getSingleMetricAsString(name));
  return `${families.join('\n\n')}\n`;
}

/** Sets `widget_build_info`. */
export function recordBuild({ buildInfo }: Pick<Metrics, 'buildInfo'>, backend: Backend['kind']): void {
  buildInfo.set({ version: readServiceVersion(), node: process.versions.node, backend }, 1);
}

interface DescribedMetric {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
  readonly help: string;
  readonly processes: readonly MetricsRole[];
}

/** Describes the service's own metrics, without those of Node. */
async function describeMetrics(): Promise<DescribedMetric[]> {
  const byName = new Map<string, DescribedMetric>();
  for (const role of ['api', 'worker', 'embedded'] as const) {
    const { registry } = createMetrics(role);
    for (const { name, type, help } of await registry.getMetricsAsJSON()) {
      if (!name.startsWith('widget_')) continue;
      const { labelNames } = registry.getSingleMetric(name) as unknown as { labelNames: readonly string[] };
      const known = byName.get(name)?.processes ?? [];
      // The embedded process has all. Only its own metrics name it.
      const processes = role === 'embedded' && known.length > 0 ? known : [...known, role];
      byName.set(name, { name, type: String(type), labels: labelNames, help, processes });
    }
  }
  return [...byName.values()];
}

/** Returns the table of `docs/metrics.md`. */
export async function formatMetricsTable(): Promise<string> {
  const rows = (await describeMetrics()).map(({ name, type, labels, help, processes }) => {
    const labelText = labels.length === 0 ? '–' : labels.map((label) => `\`${label}\``).join(', ');
    return `| \`${name}\` | ${type} | ${processes.join(', ')} | ${labelText} | ${help} |`;
  });
  return ['| name | type | process | labels | meaning |', '| --- | --- | --- | --- | --- |', ...rows].join('\n');
}
