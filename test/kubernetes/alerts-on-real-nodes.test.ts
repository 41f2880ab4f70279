/**
 * A real Prometheus scrapes the pods that the shipped PodMonitor selects. `alerts-fire-and-clear.test.ts` has the
 * rules.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listObjects } from '../deploy/kubectl.ts';
import { readManifests } from '../deploy/read-manifests.ts';
import { type PodMonitorSpec, type PrometheusProcess, startPrometheus } from '../drivers/cluster/prometheus-process.ts';
import { findPrometheusTool } from '../drivers/cluster/prometheus-tools.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import { findReasonToSkip, openRealCluster, type RealCluster } from './real-cluster.ts';

const program = findPrometheusTool('prometheus');
const reasonToSkip = program === null ? 'prometheus is not installed' : await findReasonToSkip();
if (reasonToSkip !== null) console.log(`*** SKIPPED: alerts on real nodes (${reasonToSkip}) ***`);

describe.skipIf(reasonToSkip !== null)('a Prometheus beside a real Kubernetes', () => {
  let cluster: RealCluster;
  let prometheus: PrometheusProcess;

  beforeAll(async () => {
    cluster = await openRealCluster();
    await cluster.waitUntilHealthy();
    const monitor = readManifests().find(({ kind }) => kind === 'PodMonitor')!.spec as PodMonitorSpec;
    prometheus = await startPrometheus({
      program: program ?? '',
      targets: { namespace: cluster.namespace, monitor, listPods: () => listObjects(cluster.namespace, 'pod') },
      ruleFiles: [],
    });
  }, 600_000);
  afterAll(async () => {
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
});
