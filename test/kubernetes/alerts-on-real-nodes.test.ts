/**
 * A real Prometheus scrapes the pods that the shipped PodMonitor selects, with the rules of `deploy/prometheus`. Their
 * ranges and `for` are 60 times shorter. Three faults must fire their alerts, which clear afterwards.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listObjects } from '../deploy/kubectl.ts';
import { ruleFilePaths, shortenRuleFile } from '../deploy/prometheus/rule-files.ts';
import { readManifests } from '../deploy/read-manifests.ts';
import { type AlertFault, type AlertWatch, watchAlerts } from '../drivers/cluster/alert-watch.ts';
import { type Load, openLoad } from '../drivers/cluster/load.ts';
import { type PodMonitorSpec, type PrometheusProcess, startPrometheus } from '../drivers/cluster/prometheus-process.ts';
import { findPrometheusTool } from '../drivers/cluster/prometheus-tools.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import { findReasonToSkip, openRealCluster, type RealCluster } from './real-cluster.ts';

const program = findPrometheusTool('prometheus');
const reasonToSkip = program === null ? 'prometheus is not installed' : await findReasonToSkip();
if (reasonToSkip !== null) console.log(`*** SKIPPED: alerts on real nodes (${reasonToSkip}) ***`);

/** Further changes of the shortened rules, so that a fault shows within seconds. */
const changes = {
  '(widget_hook_queue_oldest_age_seconds) > 60': '(widget_hook_queue_oldest_age_seconds) > 5',
  // A rate needs two samples, and Prometheus scrapes every second.
  '[1000ms]': '[3000ms]',
  '[2000ms]': '[4000ms]',
};

describe.skipIf(reasonToSkip !== null)('a Prometheus beside a real Kubernetes', () => {
  let cluster: RealCluster;
  let load: Load;
  let prometheus: PrometheusProcess;
  let watch: AlertWatch;

  beforeAll(async () => {
    cluster = await openRealCluster();
    await cluster.waitUntilHealthy();
    const monitor = readManifests().find(({ kind }) => kind === 'PodMonitor')!.spec as PodMonitorSpec;
    prometheus = await startPrometheus({
      program: program ?? '',
      targets: { namespace: cluster.namespace, monitor, listPods: () => listObjects(cluster.namespace, 'pod') },
      ruleFiles: ruleFilePaths.map((path) => shortenRuleFile(readFileSync(path, 'utf8'), changes)),
    });
    load = await openLoad({ url: cluster.url }, { hooksPerSecond: 20, createsPerSecond: 1, streams: 20 });
    load.start();
  }, 600_000);
  afterAll(async () => {
    await watch?.close();
    await prometheus?.close();
    await load?.close();
    await cluster?.dispose();
  }, 120_000);

  test('it scrapes every pod and worker, with the labels that the rules need', async () => {
    const seriesOf = (component: string) => prometheus.query(`up{component="${component}"} == 1`);
    const areAllUp = async () => (await seriesOf('api')).length === 2 && (await seriesOf('worker')).length === 2;
    await eventually(areAllUp, 'it has scraped two pods and two workers', 60_000);
    const [series] = await seriesOf('api');
    expect(series?.labels).toMatchObject({ namespace: cluster.namespace, job: `${cluster.namespace}/widget-service` });
    expect(series?.labels).toHaveProperty('pod');
  });

  test('three faults fire their alerts, which clear afterwards', { timeout: 600_000 }, async () => {
    const isCalm = async () => (await prometheus.query('min(up) == 1 unless on () ALERTS')).length === 1;
    await eventually(isCalm, 'no alert fires', 120_000);
    watch = watchAlerts(prometheus);
    const scale = (target: string, replicas: number) => async () => {
      await cluster.kubectl('scale', target, `--replicas=${replicas}`);
      if (replicas > 0) await cluster.waitUntilHealthy();
    };
    const faults: AlertFault[] = [
      {
        fault: 'no worker runs',
        alerts: [
          ['WidgetHooksWait', 'page'],
          ['WidgetServiceDown', 'page', { component: 'worker' }],
        ],
        cause: scale('deployment/widget-worker', 0),
        mend: scale('deployment/widget-worker', 2),
      },
      {
        fault: 'Redis does not run',
        alerts: [
          ['WidgetHooksNotAccepted', 'page'],
          ['WidgetStoreUnavailable', 'page'],
        ],
        cause: scale('statefulset/redis', 0),
        mend: scale('statefulset/redis', 1),
      },
      {
        fault: 'MongoDB does not run',
        alerts: [['WidgetTaskNotReady', 'ticket', { component: 'worker' }]],
        cause: scale('statefulset/mongodb', 0),
        mend: scale('statefulset/mongodb', 1),
      },
    ];
    for (const fault of faults) await watch.inject(fault);
    await watch.waitUntilClear(
      faults.flatMap(({ alerts }) => alerts),
      180_000,
    );
    const seconds = (ms: number | null) => `${((ms ?? 0) / 1_000).toFixed(1)} s`;
    for (const { fault, alert, firedAfterMs, clearedAfterMs } of watch.listResults()) {
      console.log(
        `${fault}: ${alert} fired after ${seconds(firedAfterMs)}, cleared ${seconds(clearedAfterMs)} after the mend`,
      );
    }
  });
});
