import { createMetrics, type MetricsRole } from './metrics.ts';

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
