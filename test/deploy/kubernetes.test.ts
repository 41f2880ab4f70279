import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../drivers/tools/eventually.ts';
import { applyCustomResourceDefinitions } from './custom-resources.ts';
import { type ClusterObject, findReasonToSkip, listObjects, makeKubectl, runCommand, sampleWhile } from './kubectl.ts';
import { makeOperatorCopy } from './operator-copy.ts';

const reasonToSkip = findReasonToSkip();
if (reasonToSkip !== null) {
  console.log(`*** SKIPPED: the manifests on a control plane (${reasonToSkip}) ***`);
  if (process.env.REQUIRE_KUBERNETES === '1') throw new Error('REQUIRE_KUBERNETES=1 forbids this skip');
}

const apiPods = 'app.kubernetes.io/component=api';
const workers = 'app.kubernetes.io/component=worker';
const productionOverlay = 'overlays/production/kustomization.yaml';
const run = Date.now().toString(36);

describe.skipIf(reasonToSkip !== null)('the manifests on a control plane with simulated nodes', () => {
  const copy = makeOperatorCopy();
  const local = `widget-local-${run}`;
  const production = `widget-production-${run}`;
  const kubectl = makeKubectl(production);
  const deploy = (overlay: string, environment: Record<string, string> = {}) =>
    runCommand(copy.script, [overlay], { API_PODS: '20', WORKERS: '5', ROLLOUT_TIMEOUT: '1h30m', ...environment });
  let overlay = '';

  beforeAll(async () => {
    const components = ['hpa', 'ingress', ...(await applyCustomResourceDefinitions())];
    console.log(`components that are tried: secrets, network-policies, ${components.join(', ')}`);
    for (const component of components) {
      copy.edit(productionOverlay, `# - ../../components/${component}\n`, `- ../../components/${component}\n`);
    }
    overlay = copy.makeOverlay({ overlay: 'production', namespace: production });
  });

  afterAll(async () => {
    for (const namespace of [local, production]) {
      await runCommand('kubectl', ['delete', 'namespace', namespace, '--ignore-not-found', '--wait=false']);
    }
    copy.remove();
  });

  test('kubectl apply -k of the local overlay is admitted, and everything becomes available', async () => {
    const folder = copy.makeOverlay({ overlay: 'local', namespace: local });
    const output = await runCommand('kubectl', ['apply', '--kustomize', folder]);
    expect(output).not.toMatch(/warning|violate/i);
    const inLocal = makeKubectl(local);
    await inLocal('wait', 'job', '--all', '--for=condition=Complete', '--timeout=30s');
    await inLocal('wait', 'deployment', '--all', '--for=condition=Available', '--timeout=30s');
    await inLocal('rollout', 'status', 'statefulset/mongodb', '--timeout=30s');
    await inLocal('rollout', 'status', 'statefulset/redis', '--timeout=30s');
    const [namespace] = await listObjects('', 'namespace', `test-run=${local}`);
    expect(namespace?.metadata.labels).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'restricted' });
  });

  test('deploy.sh starts the migration, then 5 workers, then 20 api pods', async () => {
    const output = await deploy(overlay);
    expect(output).not.toMatch(/warning|violate/i);
    console.log(`admitted: ${output.match(/\S+ created$/gm)?.length} objects`);
    const [job] = await listObjects(production, 'job');
    const [worker] = await listObjects(production, 'deployment', workers);
    const [api] = await listObjects(production, 'deployment', apiPods);
    expect(job?.status.succeeded).toBe(1);
    expect([worker?.status.availableReplicas, api?.status.availableReplicas]).toEqual([5, 20]);
    expect(worker!.metadata.creationTimestamp >= job!.status.completionTime).toBe(true);
    expect(api!.metadata.creationTimestamp >= findAvailableTime(worker!)).toBe(true);
  });

  test('each pod reads its stores from files of the Secret, readable for its owner and its group', async () => {
    for (const [selector, keys] of [
      [apiPods, null],
      [workers, null],
      ['app.kubernetes.io/component=migration', ['MONGODB_URL']],
    ] as const) {
      const [pod] = await listObjects(production, 'pod', selector);
      const [{ secret }] = pod!.spec.volumes;
      expect(secret.defaultMode).toBe(0o440);
      expect(secret.items?.map(({ key }: { key: string }) => key) ?? null).toEqual(keys);
      const { data } = (await listObjects(production, 'secret')).find(
        ({ metadata }) => metadata.name === secret.secretName,
      )!;
      expect(Object.keys(data).sort()).toEqual(['MONGODB_URL', 'REDIS_URL']);
    }
    const policies = await listObjects(production, 'networkpolicy');
    expect(policies.map(({ metadata }) => metadata.name).sort()).toEqual([
      'deny-all',
      'gateway-to-api',
      'prometheus-to-ops',
      'to-dns',
      'to-mongodb',
      'to-redis',
    ]);
  });

  test('the pods are spread evenly over zones, and over nodes', async () => {
    for (const [selector, perZone, nodeMax] of [
      [apiPods, [6, 7, 7], 5],
      [workers, [1, 2, 2], 2],
    ] as const) {
      const nodes = (await listObjects(production, 'pod', selector)).map(({ spec }) => spec.nodeName as string);
      const zones = new Map(
        (await listObjects('', 'node')).map(({ metadata }) => [
          metadata.name,
          metadata.labels?.['topology.kubernetes.io/zone'],
        ]),
      );
      expect(countEach(nodes.map((node) => zones.get(node) ?? 'none'))).toEqual(perZone);
      const perNode = countEach(nodes);
      console.log(`${selector}: per zone ${perZone}, per node ${perNode}`);
      expect(perNode.at(-1)).toBeLessThanOrEqual(nodeMax);
    }
  });

  test('applying the manifests again keeps 20 api pods and 5 workers', async () => {
    const before = await readGenerations(production);
    const { fewest } = await sampleWhile(production, 'api', async () => {
      await runCommand('kubectl', ['apply', '--kustomize', overlay]);
      await delay(3_000);
    });
    expect(fewest).toBe(20);
    expect(await readGenerations(production)).toEqual(before);
    const deployments = await listObjects(production, 'deployment');
    expect(deployments.map(({ spec }) => spec.replicas)).toEqual([20, 5]);
  });

  test('an upgrade rolls the workers, then the api pods, and never has fewer than 20 of them', async () => {
    copy.edit(productionOverlay, 'newTag: 0.1.0', 'newTag: 0.2.0');
    copy.edit(productionOverlay, '- COOKIE_SECURE=true', '- COOKIE_SECURE=true\n      - LOG_LEVEL=warn');
    const { fewest, mostPods } = await sampleWhile(production, 'api', () => deploy(overlay));
    console.log(`rolling upgrade: between ${fewest} available and ${mostPods} pods`);
    expect(fewest).toBe(20);
    expect(mostPods).toBeLessThanOrEqual(22);
    const newest = async (selector: string) =>
      (await listObjects(production, 'replicaset', selector))
        .map(({ metadata }) => metadata.creationTimestamp)
        .sort()
        .at(-1)!;
    // Five workers, one after the other, each available after a second.
    const waitedMs = Date.parse(await newest(apiPods)) - Date.parse(await newest(workers));
    expect(waitedMs).toBeGreaterThanOrEqual(4_000);
    for (const pod of await listObjects(production, 'pod', 'app.kubernetes.io/component in (api, worker)')) {
      if (pod.metadata['deletionTimestamp' as keyof typeof pod.metadata] !== undefined) continue;
      expect(pod.spec.containers[0].image).toBe('registry.example.com/widget-service:0.2.0');
    }
  });

  test('a drained node loses its pods while at least 18 of 20 stay ready', async () => {
    const onNode = async () =>
      (await listObjects(production, 'pod', apiPods)).filter(({ spec }) => spec.nodeName === 'node-b1').length;
    expect(await onNode()).toBeGreaterThan(0);
    try {
      // The budget counts pods that are ready. They count as available some seconds later (`minReadySeconds`).
      const { fewestHealthy } = await sampleWhile(production, 'api', async () => {
        const selector = `--pod-selector=test-run=${production}`;
        await runCommand('kubectl', ['drain', 'node-b1', selector, '--delete-emptydir-data', '--timeout=60s']);
        await kubectl('rollout', 'status', 'deployment/widget-api', '--timeout=30s');
      });
      console.log(`node drain: at least ${fewestHealthy} ready`);
      expect(fewestHealthy).toBeGreaterThanOrEqual(18);
      await eventually(async () => (await onNode()) === 0, 'no pod is left on the node');
    } finally {
      await runCommand('kubectl', ['uncordon', 'node-b1']);
    }
  });

  test('a drain evicts pods that are not ready, also while no pod is ready', async () => {
    const pods = await listObjects(production, 'pod', apiPods);
    const notReady = JSON.stringify({ status: { conditions: [{ type: 'Ready', status: 'False' }] } });
    const names = pods.map(({ metadata }) => metadata.name);
    await kubectl('patch', 'pod', ...names, '--subresource=status', '--patch', notReady);
    await eventually(async () => {
      const [budget] = await listObjects(production, 'poddisruptionbudget', apiPods);
      return budget?.status.currentHealthy === 0;
    }, 'the budget knows that no pod is ready');
    try {
      const selector = `--pod-selector=test-run=${production},${apiPods}`;
      await runCommand('kubectl', ['drain', 'node-c2', selector, '--timeout=20s']);
    } finally {
      await runCommand('kubectl', ['uncordon', 'node-c2']);
    }
    await kubectl('delete', 'pod', ...names, '--ignore-not-found');
    await kubectl('rollout', 'status', 'deployment/widget-api', '--timeout=30s');
  });

  test('rollout undo brings the old version and its settings back, and never has fewer than 20 api pods', async () => {
    const { fewest } = await sampleWhile(production, 'api', async () => {
      await kubectl('rollout', 'undo', 'deployment/widget-api');
      await kubectl('rollout', 'status', 'deployment/widget-api', '--timeout=60s');
    });
    expect(fewest).toBe(20);
    const [api] = await listObjects(production, 'deployment', apiPods);
    const [container] = api!.spec.template.spec.containers;
    expect(container.image).toBe('registry.example.com/widget-service:0.1.0');
    const configMaps = await listObjects(production, 'configmap', 'app.kubernetes.io/name=widget-service');
    const used = configMaps.find(({ metadata }) => metadata.name === container.envFrom[0].configMapRef.name);
    expect(used?.data).not.toHaveProperty('LOG_LEVEL');
  });

  test('a misspelt field stops deploy.sh before it changes anything', async () => {
    const patch =
      '{ target: { kind: Deployment }, patch: "- { op: add, path: /spec/template/spec/enableServiceLink, value: false }" }';
    const misspelt = copy.makeOverlay({ overlay: 'production', namespace: production, patches: [patch] });
    const before = await readGenerations(production);
    await expect(deploy(misspelt)).rejects.toThrow('unknown field "spec.template.spec.enableServiceLink"');
    await expect(runCommand('kubectl', ['apply', '--kustomize', misspelt])).rejects.toThrow('unknown field');
    expect(await readGenerations(production)).toEqual(before);
  });

  test('a time-out that is no duration stops deploy.sh before it changes anything', async () => {
    const before = await readGenerations(production);
    await expect(deploy(overlay, { MIGRATION_TIMEOUT: 'ten minutes' })).rejects.toThrow('"ten minutes" is no duration');
    expect(await readGenerations(production)).toEqual(before);
  });

  test('a migration that does not succeed stops deploy.sh before it changes a pod', async () => {
    const patch =
      '{ target: { kind: Job }, patch: "- { op: add, path: /spec/template/spec/nodeName, value: node-absent }" }';
    const stuck = copy.makeOverlay({ overlay: 'production', namespace: production, patches: [patch] });
    copy.edit(productionOverlay, 'newTag: 0.2.0', 'newTag: 0.3.0');
    const before = await readGenerations(production);
    await expect(deploy(stuck, { MIGRATION_TIMEOUT: '3s' })).rejects.toThrow('the migration did not succeed');
    expect(await readGenerations(production)).toEqual(before);
  });
});

/** Returns the time since which a Deployment has been available. */
function findAvailableTime({ status }: ClusterObject): string {
  return status.conditions.find(({ type }: { type: string }) => type === 'Available').lastTransitionTime;
}

/** Returns the generation of each Deployment: it grows with every change of its fields. */
async function readGenerations(namespace: string): Promise<Record<string, number>> {
  const deployments = await listObjects(namespace, 'deployment');
  return Object.fromEntries(deployments.map(({ metadata }) => [metadata.name, metadata.generation]));
}

/** Returns how often each text occurs, fewest first. */
function countEach(texts: readonly string[]): number[] {
  const groups = Object.values(Object.groupBy(texts, (text) => text));
  return groups.map((group) => group!.length).sort((a, b) => a - b);
}
