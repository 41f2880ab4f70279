import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Registry } from 'prom-client';
import type { Exemplar } from './histogram.ts';
import { createMetrics, type MetricsRole } from './metrics.ts';

/** Formats a registry's metrics in the format that a scrape's `Accept` header asks for. */
export async function formatMetrics(registry: Registry, accept: string | undefined) {
  if (prefersOpenMetrics(accept)) {
    const contentType = 'application/openmetrics-text; version=1.0.0; charset=utf-8';
    return { text: await formatOpenMetrics(registry), contentType };
  }
  // Prometheus' own text format.
  const families = await formatInTurns(registry, ({ name }) => registry.getSingleMetricAsString(name));
  return { text: `${families.join('\n\n')}\n`, contentType: registry.contentType };
}

interface Sample {
  readonly metricName?: string;
  readonly labels: Readonly<Partial<Record<string, string | number>>>;
  readonly value: number;
  /** prom-client's own histograms have null here. */
  readonly exemplar?: Exemplar | null | undefined;
}

interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly values: readonly Sample[];
}

/**
 * Formats the metrics of a registry as OpenMetrics 1.0, the only text format with exemplars. The series have the same
 * names, labels and values as in Prometheus' own text format.
 *
 * prom-client can write this format too, but only for a whole registry, and it renames the counters of that registry.
 */
export async function formatOpenMetrics(registry: Registry): Promise<string> {
  const families = await formatInTurns(registry, async (metric) => formatFamily((await metric.get()) as MetricFamily));
  return `${families.join('')}# EOF\n`;
}

function formatFamily({ name, help, type, values }: MetricFamily): string {
  const isCounter = type === 'counter' && name.endsWith('_total');
  // OpenMetrics names a counter's family without `_total`, and its series with it.
  const family = isCounter ? name.slice(0, -'_total'.length) : name;
  const knownType = type === 'counter' && !isCounter ? 'unknown' : type;
  const lines = values.map((sample) => `${formatSample(name, sample)}\n`);
  return `# TYPE ${family} ${knownType}\n# HELP ${family} ${escapeText(help)}\n${lines.join('')}`;
}

function formatSample(name: string, { metricName = name, labels, value, exemplar }: Sample): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeText(String(text))}"`);
  const series = pairs.length === 0 ? metricName : `${metricName}{${pairs.join(',')}}`;
  const sample = `${series} ${formatNumber(value)}`;
  if (exemplar === undefined || exemplar === null) return sample;
  const { traceId, value: observed, atMs } = exemplar;
  return `${sample} # {trace_id="${traceId}"} ${formatNumber(observed)} ${atMs / 1_000}`;
}

function formatNumber(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value);
}

function escapeText(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
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
