/**
 * A real Prometheus scrapes the pods that the shipped PodMonitor selects, with the shipped rules. Their ranges and
 * `for` are 60 times shorter. `alerts-fire-and-clear.test.ts` tries more alerts, on processes.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listObjects } from '../deploy/kubectl.ts';
import { ruleFilePaths, shortenRuleFile } from '../deploy/prometheus/rule-files.ts';
import { readManifests } from '../deploy/read-manifests.ts';
import { type Load, openLoad } from '../drivers/cluster/load.ts';
import { type PodMonitorSpec, type PrometheusProcess, startPrometheus } from '../drivers/cluster/prometheus-process.ts';
import { findPrometheusTool } from '../drivers/cluster/prometheus-tools.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import { findReasonToSkip, openRealCluster, type RealCluster } from './real-cluster.ts';

const program = findPrometheusTool('prometheus');
const reasonToSkip = program === null ? 'prometheus is not installed' : await findReasonToSkip();
if (reasonToSkip !== null) console.log(`*** SKIPPED: alerts on real nodes (${reasonToSkip}) ***`);

describe.skipIf(reasonToSkip !== null)('a Prometheus beside a real Kubernetes', () => {
  let cluster: RealCluster;
  let load: Load;
  let prometheus: PrometheusProcess;

  beforeAll(async () => {
    cluster = await openRealCluster();
    await cluster.waitUntilHealthy();
    // The shortened ranges need calls to the stores in each second.
    load = await openLoad(cluster, { hooksPerSecond: 10, createsPerSecond: 5, streams: 10, revocationsPerSecond: 0 });
    load.start();
    const monitor = readManifests().find(({ kind }) => kind === 'PodMonitor')!.spec as PodMonitorSpec;
    prometheus = await startPrometheus({
      program: program ?? '',
      targets: { namespace: cluster.namespace, monitor, listPods: () => listObjects(cluster.namespace, 'pod') },
      // A rate needs two samples, and Prometheus scrapes every second.
      ruleFiles: ruleFilePaths.map((path) =>
        shortenRuleFile(readFileSync(path, 'utf8'), { '[1000ms]': '[3000ms]', '[2000ms]': '[4000ms]' }),
      ),
    });
  }, 600_000);
  afterAll(async () => {
    await load?.close();
    await prometheus?.close();
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

  test.each([
    { object: 'deployment/widget-worker', replicas: 2, alert: 'WidgetServiceDown', labels: { component: 'worker' } },
    { object: 'statefulset/mongodb', replicas: 1, alert: 'WidgetStoreUnavailable', labels: { store: 'mongodb' } },
  ])('$alert fires while $object has no pod, and clears', async ({ object, replicas, alert, labels }) => {
    const expected = { ...labels, severity: 'page', alertname: alert };
    const isFiring = async () => {
      const firing = (await prometheus.listAlerts()).filter(({ state }) => state === 'firing');
      return firing.some((one) => Object.entries(expected).every(([label, value]) => one.labels[label] === value));
    };
    await eventually(async () => !(await isFiring()), 'the alert does not fire before', 60_000);
    await cluster.kubectl('scale', object, '--replicas=0');
    await eventually(isFiring, 'the alert fires', 90_000);
    await cluster.kubectl('scale', object, `--replicas=${replicas}`);
    await eventually(async () => !(await isFiring()), 'the alert clears', 120_000);
  });
});
