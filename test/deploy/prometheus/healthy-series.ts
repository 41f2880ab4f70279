import { createMetrics } from '@widget-service/shared/metrics/metrics.ts';
import { loadRules } from './rule-files.ts';

/** A fault as Prometheus sees it. It begins after 20 intervals. Before it, and after it, the service is healthy. */
export interface AlertCase {
  readonly fault: string;
  /** Minutes per interval. */
  readonly interval: number;
  /** The series that differ from those of a healthy service. */
  readonly series: SeriesValues;
  /** The minute at which exactly `firing` fires: `alert severity`. */
  readonly firesAt: number;
  readonly firing: readonly string[];
  /** The minute at which no alert fires any more. */
  readonly clearsAt: number;
}

/** The value of a gauge whose store does not answer. */
export const unknown = Number.NaN;
export const after = 400;
export const whileFault = (healthy: number, faulty: number, intervals: number) =>
  gauge([healthy, 20], [faulty, intervals], [healthy, after]);
export const risesWhileFault = (perInterval: number, intervals: number, healthyRate = 0) =>
  counter([healthyRate, 20], [perInterval, intervals], [healthyRate, after]);
export const other = (labels: string) => labels.replace('-0"', '-1"');
/** A member for each of both pods or workers. */
export const both = (labels: string, toSeries: (labels: string) => SeriesValues): SeriesValues => ({
  ...toSeries(labels),
  ...toSeries(other(labels)),
});

/** The values of a series, one per interval. Null: the series has no sample. */
type Values = readonly (number | null)[];

/** A part of a series: how long it lasts, in intervals, and its value, or by how much a counter rises per interval. */
export type Part = readonly [value: number, intervals: number];

/** Returns the values of a gauge that has each value for as many intervals. */
export function gauge(...parts: readonly Part[]): number[] {
  return parts.flatMap(([value, intervals]) => Array.from({ length: intervals }, () => value));
}

/** Returns the values of a counter that begins at 0 and rises by each value, for as many intervals. */
export function counter(...parts: readonly Part[]): number[] {
  let total = 0;
  return [0, ...gauge(...parts).map((increase) => (total += increase))];
}

/** Returns intervals without a sample. */
export function missing(intervals: number): null[] {
  return Array.from({ length: intervals }, () => null);
}

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

/** Series by their text, for example `up{component="api"}`. */
export type SeriesValues = Readonly<Record<string, Values>>;

const pods = ['component="api",instance="api-0"', 'component="api",instance="api-1"'] as const;
const workers = ['component="worker",instance="worker-0"', 'component="worker",instance="worker-1"'] as const;
const ofService = 'job="team/widget-service",namespace="team"';

/** The scrape labels of the first pod and of the first worker. */
export const pod = `${ofService},${pods[0]}`;
export const worker = `${ofService},${workers[0]}`;

/**
 * Returns what Prometheus holds of a healthy cluster with two pods and two workers, in `intervals` intervals. Per
 * interval, each pod accepts 600 hooks, and refuses one as the sender's mistake and one as too fast.
 */
export function buildHealthySeries(intervals: number): SeriesValues {
  const constant = (value: number) => gauge([value, intervals]);
  const rising = (perInterval: number) => counter([perInterval, intervals]);
  const series: Record<string, Values> = {};
  for (const labels of [...pods, ...workers].map((own) => `${ofService},${own}`)) {
    series[`up{${labels}}`] = constant(1);
    series[`process_start_time_seconds{${labels}}`] = constant(1_700_000_000);
    series[`nodejs_eventloop_lag_p99_seconds{${labels}}`] = constant(0.012);
    series[`widget_build_info{${labels},backend="cluster",version="1"}`] = constant(1);
    series[`widget_task_failures_total{${labels},task="any"}`] = constant(0);
    series[`widget_task_ready{${labels},task="any"}`] = constant(1);
    for (const port of ['eventLog', 'widgets']) {
      series[`widget_store_call_duration_seconds_count{${labels},port="${port}",operation="any"}`] = rising(100);
      series[`widget_store_call_failures_total{${labels},port="${port}",operation="any",error="unavailable"}`] =
        constant(0);
    }
  }
  for (const labels of pods.map((own) => `${ofService},${own}`)) {
    series[`widget_hooks_accepted_total{${labels}}`] = rising(600);
    series[`widget_store_call_duration_seconds_count{${labels},port="control",operation="next"}`] = rising(60);
    series[`widget_store_call_failures_total{${labels},port="control",operation="next",error="unavailable"}`] =
      constant(0);
    series[`widget_hook_payload_bytes_total{${labels}}`] = rising(600 * 200);
    series[`widget_event_log_limit_bytes{${labels}}`] = constant(2 ** 30);
    series[`widget_database_bytes{${labels}}`] = constant(4e9);
    series[`widget_database_disk_free_bytes{${labels}}`] = constant(2e9);
    series[`widget_hooks_refused_total{${labels},code="unavailable"}`] = constant(0);
    series[`widget_hooks_refused_total{${labels},code="internal"}`] = constant(0);
    series[`widget_hooks_refused_total{${labels},code="invalid-request"}`] = rising(1);
    series[`widget_hooks_refused_total{${labels},code="rate-limited"}`] = rising(1);
    series[`widget_event_delivery_delay_seconds_bucket{${labels},le="5"}`] = rising(1_200);
    series[`widget_event_delivery_delay_seconds_count{${labels}}`] = rising(1_200);
    series[`widget_rate_limit_fallback_total{${labels}}`] = constant(0);
    series[`widget_hook_queue_oldest_age_seconds{${labels},queue="hooks-4-0"}`] = constant(0.02);
    series[`widget_streams_open{${labels}}`] = constant(5_000);
    series[`widget_streams_limit{${labels}}`] = constant(10_000);
    series[`widget_streams_refused_total{${labels},reason="overloaded"}`] = constant(0);
    series[`widget_streams_opened_total{${labels},start="resumed"}`] = rising(100);
    series[`widget_streams_opened_total{${labels},start="gap"}`] = rising(1);
    series[`widget_stream_gaps_total{${labels},reason="trimmed"}`] = rising(1);
    series[`widget_stream_gaps_total{${labels},reason="malformed"}`] = rising(1);
    series[`widget_stream_gaps_total{${labels},reason="epoch-changed"}`] = constant(0);
    series[`widget_tail_lag_events{${labels}}`] = constant(3);
    series[`widget_tail_held_back_seconds_total{${labels}}`] = rising(0.1);
    series[`widget_event_log_oldest_age_seconds{${labels}}`] = constant(86_000);
    series[`widget_audit_events_lost_total{${labels}}`] = constant(0);
    series[`widget_log_lines_dropped_total{${labels}}`] = constant(0);
    for (const reason of ['per-address', 'per-pod', 'reset']) {
      series[`widget_connections_refused_total{${labels},reason="${reason}"}`] = constant(0);
    }
  }
  for (const labels of workers.map((own) => `${ofService},${own}`)) {
    series[`widget_deliveries_dead_total{${labels},reason="store-refused"}`] = constant(0);
    series[`widget_queue_texts_quarantined_total{${labels}}`] = constant(0);
    series[`widget_outbox_oldest_age_seconds{${labels}}`] = constant(0);
    for (const outcome of ['failed', 'not-applied']) {
      series[`widget_run_duration_seconds_count{${labels},outcome="${outcome}"}`] = constant(0);
    }
  }
  return series;
}
