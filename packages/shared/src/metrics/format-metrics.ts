import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Metric, type OpenMetricsContentType, Registry } from 'prom-client';
import { createMetrics, type MetricsRole } from './metrics.ts';

/** Formats a registry's metrics in the format that a scrape's `Accept` header asks for. */
export async function formatMetrics(registry: Registry, accept: string | undefined) {
  if (prefersOpenMetrics(accept)) {
    return { text: await formatOpenMetrics(registry), contentType: Registry.OPENMETRICS_CONTENT_TYPE };
  }
  // Prometheus' own text format.
  const families = await formatInTurns(registry, ({ name }) => registry.getSingleMetricAsString(name));
  return { text: `${families.join('\n\n')}\n`, contentType: registry.contentType };
}

/**
 * Formats the metrics of a registry as OpenMetrics 1.0, the only text format with exemplars. The series have the same
 * names, labels and values as in Prometheus' own text format.
 *
 * prom-client formats each metric, but not the whole registry: it would rename the counters of that registry.
 */
export async function formatOpenMetrics(registry: Registry): Promise<string> {
  const openMetrics = new Registry<OpenMetricsContentType>();
  openMetrics.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  const families = await formatInTurns(registry, async (metric) => {
    const family = (await metric.get()) as { readonly name: string; readonly type: string };
    // OpenMetrics names a counter without `_total`, and prom-client adds that to its series.
    const name = family.type === 'counter' ? family.name.replace(/_total$/, '') : family.name;
    openMetrics.registerMetric({ name, get: async () => ({ ...family, name }) } as unknown as Metric);
    return openMetrics.getSingleMetricAsString(name);
  });
  return `${families.join('\n')}\n# EOF\n`;
}

/**
 * Returns whether an `Accept` header prefers OpenMetrics 1.0 to Prometheus' own text format. A header without
 * OpenMetrics gets the latter, as before.
 */
export function prefersOpenMetrics(accept: string | undefined): boolean {
  const ranges = (accept ?? '').split(',').map(parseRange);
  const best = (isWanted: (range: MediaRange) => boolean) =>
    Math.max(0, ...ranges.filter(isWanted).map(({ quality }) => quality));
  const openMetrics = best(
    ({ type, version }) => type === 'application/openmetrics-text' && (version === null || version === '1.0.0'),
  );
  const plainText = best(({ type }) => type === 'text/plain');
  return openMetrics > 0 && openMetrics >= plainText;
}

interface MediaRange {
  readonly type: string;
  readonly version: string | null;
  readonly quality: number;
}

function parseRange(text: string): MediaRange {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const read = (name: string) => parameters.find((part) => part.startsWith(`${name}=`))?.slice(name.length + 1) ?? null;
  const quality = Number(read('q') ?? 1);
  return { type, version: read('version'), quality: Number.isNaN(quality) ? 0 : quality };
}

/** After this time, the streams and hooks that wait are served before the next metric. */
const turnMs = 1;

/** What each metric of a registry has, whatever its class. */
interface RegisteredMetric {
  readonly name: string;
  /** Resolves with the name, help, type and values. */
  get(): Promise<unknown>;
}

/**
 * Formats the metrics of a registry one after the other, and lets the event loop go on in between: a registry formats
 * all of them at once, and the whole process waits for it.
 */
export async function formatInTurns(registry: Registry, format: (metric: RegisteredMetric) => Promise<string>) {
  const texts: string[] = [];
  let turnStartedAtMs = performance.now();
  // The type of `getMetricsAsArray` describes the result of `get`, but the registry returns the metrics themselves.
  for (const metric of registry.getMetricsAsArray() as unknown as RegisteredMetric[]) {
    texts.push(await format(metric));
    if (performance.now() - turnStartedAtMs < turnMs) continue;
    await nextTurn();
    turnStartedAtMs = performance.now();
  }
  return texts;
}

/** Returns the table of `docs/metrics.md`: the service's own metrics, without those of Node. */
export async function formatMetricsTable(): Promise<string> {
  const processes = new Map<string, MetricsRole[]>();
  const rows = new Map<string, (processes: string) => string>();
  for (const role of ['api', 'worker', 'embedded'] as const) {
    const { registry } = createMetrics(role);
    for (const { name, type, help } of await registry.getMetricsAsJSON()) {
      if (!name.startsWith('widget_')) continue;
      const { labelNames } = registry.getSingleMetric(name) as unknown as { labelNames: readonly string[] };
      const labels = labelNames.map((label) => `\`${label}\``).join(', ') || '–';
      rows.set(name, (all) => `| \`${name}\` | ${type} | ${all} | ${labels} | ${help} |`);
      const known = processes.get(name) ?? [];
      // The embedded process has all. Only its own metrics name it.
      processes.set(name, role === 'embedded' && known.length > 0 ? known : [...known, role]);
    }
  }
  const lines = [...rows].map(([name, toRow]) => toRow((processes.get(name) ?? []).join(', ')));
  return ['| name | type | process | labels | meaning |', '| --- | --- | --- | --- | --- |', ...lines].join('\n');
}
