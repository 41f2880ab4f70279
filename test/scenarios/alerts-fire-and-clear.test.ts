/**
 * A real Prometheus scrapes two pods and two workers under load, with the rules of `deploy/prometheus`. Their ranges
 * and `for` are 60 times shorter, and a few thresholds are smaller, so that a fault shows within seconds. Every query
 * of the dashboards and rules must return data, and three faults must fire their alerts, which clear afterwards.
 */

import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  findSelectors,
  loadPanelQueries,
  loadRules,
  ruleFilePaths,
  shortenExpression,
  shortenRuleFile,
} from '../deploy/prometheus/rule-files.ts';
import { setOptions } from '../drivers/cluster/component-options.ts';
import { type Load, openLoad } from '../drivers/cluster/load.ts';
import { type Alert, type PrometheusProcess, startPrometheus } from '../drivers/cluster/prometheus-process.ts';
import { findPrometheusTool, runPromtool } from '../drivers/cluster/prometheus-tools.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import { isHaproxyInstalled } from '../faults/balancer.ts';
import { type FaultCluster, openFaultCluster } from '../faults/fault-cluster.ts';
import { isLong } from '../faults/scale.ts';

/** An alert that a fault must cause: its name, severity, and further labels where the name alone is not enough. */
type ExpectedAlert = readonly [name: string, severity: string, labels?: Readonly<Record<string, string>>];

/** A fault that a scenario injects. */
interface AlertFault {
  readonly fault: string;
  /** The alerts that must fire before the fault is mended. */
  readonly alerts: readonly ExpectedAlert[];
  cause(): Promise<void>;
  mend(): Promise<void>;
}

interface Period {
  readonly alert: Alert;
  /** When the alert no longer fired; null while it fires. */
  toMs: number | null;
}

const pollMs = 250;
const firesWithinMs = 45_000;

/** Records when each alert fires. */
function watchAlerts(prometheus: Pick<PrometheusProcess, 'listAlerts'>) {
  const periods: Period[] = [];
  const stopping = new AbortController();
  const toKey = ({ labels }: Alert) => JSON.stringify(Object.entries(labels).toSorted());

  async function poll(): Promise<void> {
    const firing = (await prometheus.listAlerts()).filter(({ state }) => state === 'firing');
    const nowMs = performance.now();
    const keys = new Set(firing.map(toKey));
    for (const period of periods) if (period.toMs === null && !keys.has(toKey(period.alert))) period.toMs = nowMs;
    const open = new Set(periods.filter(({ toMs }) => toMs === null).map(({ alert }) => toKey(alert)));
    for (const alert of firing) if (!open.has(toKey(alert))) periods.push({ alert, toMs: null });
  }

  const running = (async () => {
    while (!stopping.signal.aborted) {
      await poll();
      await delay(pollMs);
    }
  })();

  function select([name, severity, labels = {}]: ExpectedAlert): Period[] {
    const wanted = Object.entries({ ...labels, alertname: name, severity });
    return periods.filter(({ alert }) => wanted.every(([label, value]) => alert.labels[label] === value));
  }

  const overlaps = (expected: ExpectedAlert, fromMs: number) =>
    select(expected).filter(({ toMs }) => toMs === null || toMs > fromMs);

  return {
    /** Causes a fault, waits until every expected alert fires, and mends it. */
    async inject({ fault, alerts: expected, cause, mend }: AlertFault): Promise<void> {
      const fromMs = performance.now();
      await cause();
      for (const alert of expected) {
        const what = `${alert[0]} (${alert[1]}) fires for: ${fault}`;
        await eventually(async () => overlaps(alert, fromMs).length > 0, what, firesWithinMs);
      }
      await mend();
    },
    /** Resolves when none of these alerts fires. */
    waitUntilClear: (expected: readonly ExpectedAlert[], withinMs: number) =>
      eventually(
        async () => expected.every((alert) => select(alert).every(({ toMs }) => toMs !== null)),
        `these alerts clear: ${expected.map(([name, severity]) => `${name} ${severity}`).join(', ')}`,
        withinMs,
      ),
    /** All alerts that fired. */
    listFired: (): Alert[] => periods.map(({ alert }) => alert),
    close: async () => {
      stopping.abort();
      await running;
    },
  };
}

type AlertWatch = ReturnType<typeof watchAlerts>;

const prometheusProgram = findPrometheusTool('prometheus');
const promtool = findPrometheusTool('promtool');

/** Only in the long form: it takes three minutes. */
const canRun = isLong && prometheusProgram !== null && promtool !== null && isHaproxyInstalled();

/** Further changes of the shortened rules, so that the scenario takes minutes. */
const changes = {
  '(widget_hook_queue_oldest_age_seconds) > 60': '(widget_hook_queue_oldest_age_seconds) > 5',
  // Of WidgetEventLogTooShort, the only alert that waits for an hour.
  'widget_event_log_oldest_age_seconds[30000ms]': 'widget_event_log_oldest_age_seconds[15000ms]',
  'for: 60000ms': 'for: 8000ms',
  // A rate needs two samples, and Prometheus scrapes every second.
  '[1000ms]': '[3000ms]',
  '[2000ms]': '[4000ms]',
};

const environment = {
  // Far above the load: the limiter must be asked, and not refuse.
  HOOK_RATE_PER_SECOND: '100000',
  API_RATE_PER_SECOND: '100000',
  STREAMS_PER_POD: '30',
  ...setOptions({
    // Above what the load and the balancer need.
    connectionsPerPod: 200,
    // The log drops events after a few seconds of load.
    eventRetentionCount: 300,
    outboxScanAgeMs: 1_000,
  }),
};

/** Selectors that are empty in a healthy cluster. */
const emptyWhileHealthy = [
  'widget_build_info{backend="embedded"}',
  'widget_http_requests_total{status="500"}',
  'widget_database_disk_free_bytes',
  'widget_database_bytes',
];
/** The panels that show nothing in a healthy cluster: it answers nothing with 500, and has no SQLite file. */
const emptyPanels = ['Server errors, by route', 'Room for the SQLite file'];
/** A new pod has none of their series: they begin with the first response of a route. */
const withoutSeriesAtFirst = ['widget_http_requests_total', 'widget_http_request_duration_seconds'];

describe.runIf(canRun)('a real Prometheus', () => {
  let cluster: FaultCluster;
  let load: Load;
  let prometheus: PrometheusProcess;
  let watch: AlertWatch;

  beforeAll(async () => {
    cluster = await openFaultCluster({ pods: 2, workers: 2, environment });
  });
  afterAll(async () => {
    await watch?.close();
    await prometheus?.close();
    await load?.close();
    await cluster?.dispose();
  });

  test('gets metrics that promtool accepts, and every counter at 0, from new api pods and workers', async () => {
    for (const { name, process } of [...cluster.pods, ...cluster.workers]) {
      const text = await (await fetch(`${process.opsUrl}/metrics`)).text();
      expect(runPromtool(promtool ?? '', ['check', 'metrics'], { input: text }), name).toEqual({
        exitCode: 0,
        output: '',
      });
      const values = Array.from(
        text.matchAll(/^(widget_\w+_total(?:\{.*\})?) (\S+)$/gm),
        ([, series, value]) => `${series} ${value}`,
      );
      expect(values.length).toBeGreaterThan(10);
      expect(values.filter((line) => !line.endsWith(' 0'))).toEqual([]);
      const types = Array.from(text.matchAll(/^# TYPE (widget_\w+) /gm), ([, metric = '']) => metric);
      const shown = types.filter((metric) => !withoutSeriesAtFirst.includes(metric));
      for (const metric of shown) expect(text, name).toMatch(new RegExp(`^${metric}(_count)?[{ ]`, 'm'));
    }
  });

  test('gets data for every query of the dashboards and rules', async () => {
    const targets = [
      ...cluster.pods.map((slot) => ({ slot, component: 'api' as const })),
      ...cluster.workers.map((slot) => ({ slot, component: 'worker' as const })),
    ];
    prometheus = await startPrometheus({
      program: prometheusProgram ?? '',
      targets: targets.map(({ slot, component }) => ({ component, address: new URL(slot.process.opsUrl).host })),
      ruleFiles: ruleFilePaths.map((path) => shortenRuleFile(readFileSync(path, 'utf8'), changes)),
    });
    // Prometheus has no target until its first scrape, so it fires WidgetServiceDown for a moment.
    const isCalm = async () => (await prometheus.query('min(up) == 1 unless on () ALERTS')).length === 1;
    await eventually(isCalm, 'Prometheus has scraped every process, and no alert fires');
    watch = watchAlerts(prometheus);
    load = await openLoad(cluster, { hooksPerSecond: 20, createsPerSecond: 5, streams: 20, revocationsPerSecond: 0 });
    load.start();
    const hasSample = async () => (await prometheus.query('widget_event_log_oldest_age_seconds >= 0')).length === 2;
    await eventually(hasSample, 'both pods have sampled the log');
    const appendsOften = async () =>
      (await prometheus.query('min_over_time(sum(rate(widget_events_appended_total[5s]))[5s:1s]) > 5')).length === 1;
    await eventually(appendsOften, 'the workers append events for some seconds');

    const empty: string[] = [];
    for (const { dashboard, panel, legend, expr } of loadPanelQueries()) {
      const series = await prometheus.query(shortenExpression(expr));
      const where = `${dashboard}: ${panel}: ${legend}`;
      if ((series.length === 0) !== emptyPanels.includes(panel)) empty.push(where);
    }
    for (const { record, alert, expr } of loadRules()) {
      for (const { text } of findSelectors(shortenExpression(expr))) {
        const isEmpty = (await prometheus.query(text)).length === 0;
        if (isEmpty !== emptyWhileHealthy.includes(text)) empty.push(`${record ?? alert}: ${text}`);
      }
    }
    expect(empty).toEqual([]);
    // The log keeps 300 events here, so the load fills it within seconds.
    const ofShortLog = ['WidgetEventLogTooShort', 'WidgetEventLogFloods'];
    const tooEarly = watch.listFired().filter(({ labels }) => !ofShortLog.includes(labels.alertname ?? ''));
    expect(tooEarly).toEqual([]);
  });

  // promtool tries each alert with the figures of its fault, in test/deploy/prometheus.
  test('fires the alerts of three faults, and clears them afterwards', async () => {
    const faults: AlertFault[] = [
      {
        fault: 'both workers are killed',
        alerts: [
          ['WidgetHooksWait', 'page'],
          ['WidgetServiceDown', 'page', { component: 'worker' }],
        ],
        cause: async () => {
          for (const slot of cluster.workers) await slot.kill();
        },
        mend: async () => {
          for (const slot of cluster.workers) await slot.start();
        },
      },
      {
        fault: 'Redis is killed',
        alerts: [
          ['WidgetStoreUnavailable', 'page', { store: 'redis' }],
          ['WidgetHooksNotAccepted', 'page'],
          ['WidgetTaskNotReady', 'ticket', { component: 'worker' }],
        ],
        cause: () => cluster.redis.kill(),
        mend: () => cluster.redis.start(),
      },
      {
        fault: 'MongoDB is cut off',
        alerts: [['WidgetStoreUnavailable', 'page', { store: 'mongodb' }]],
        cause: async () => cluster.mongoLink.cut(),
        mend: () => cluster.mongoLink.mend(),
      },
    ];
    for (const fault of faults) await watch.inject(fault);
    await load.pause();
    await watch.waitUntilClear(
      faults.flatMap(({ alerts }) => alerts),
      90_000,
    );
    for (const { annotations } of watch.listFired()) {
      for (const text of Object.values(annotations)) expect(text).not.toMatch(/<error|<no value>|%!|NaN/);
    }
  });
});
