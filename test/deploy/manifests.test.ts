import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fanOutDefaults } from '@widget-service/api/streams/fan-out/fan-out.ts';
import { parseSettings } from '@widget-service/shared/config/parse-settings.ts';
import { settingsTable } from '@widget-service/shared/config/settings.ts';
import { expect, test } from 'vitest';
import { findManifest, listContainers, type Manifest, readManifests, readVariables, root } from './read-manifests.ts';

const manifests = readManifests();
const variables = readVariables(manifests);

const api = findManifest(manifests, 'Deployment', 'widget-api');
const worker = findManifest(manifests, 'Deployment', 'widget-worker');
const migration = findManifest(manifests, 'Job', 'widget-migration');

/** The settings that an api pod has by the base of the manifests. */
function readApiSettings() {
  const environment = Object.fromEntries(
    variables
      .filter(({ file, name }) => (file.startsWith('base/') || file.includes('stores')) && !name.endsWith('_FILE'))
      .map(({ name, value }) => [name, value]),
  );
  return parseSettings({ NODE_ENV: 'production', ...environment }, { app: 'api' }).settings;
}

test('every setting that a manifest names exists, and its value is valid', () => {
  expect(variables.length).toBeGreaterThan(8);
  const stores = { MONGODB_URL: 'mongodb://127.0.0.1/', REDIS_URL: 'redis://127.0.0.1/' };
  for (const { file, name, value } of variables) {
    // A variable that ends in _FILE names the file of a secret: `isolation.test.ts` checks these.
    expect(Object.keys(settingsTable), `${file}: ${name}`).toContain(name.replace(/_FILE$/, ''));
    if (name.endsWith('_FILE')) continue;
    expect(() => parseSettings({ ...stores, [name]: value }, { app: 'api' }), name).not.toThrow();
  }
});

test('the production overlay sets what a cluster behind a proxy needs', () => {
  const names = variables.filter(({ file }) => file.startsWith('overlays/production')).map(({ name }) => name);
  expect(names.sort()).toEqual(['ALLOWED_HOSTS', 'COOKIE_SECURE', 'PAGES', 'PUBLIC_BASE_URL', 'TRUSTED_PROXIES']);
});

test('no Deployment states a number of pods: applying it would reset one that was scaled', () => {
  for (const manifest of manifests.filter(({ kind }) => kind === 'Deployment')) {
    expect(manifest.spec).not.toHaveProperty('replicas');
  }
});

test('the pods of a lost node are replaced after 30 s, not after the five minutes of Kubernetes', () => {
  for (const { spec } of [api, worker]) {
    const bounds = spec.template.spec.tolerations.map((one: Record<string, unknown>) => [
      one.key,
      one.effect,
      one.tolerationSeconds,
    ]);
    expect(bounds).toEqual([
      ['node.kubernetes.io/not-ready', 'NoExecute', 30],
      ['node.kubernetes.io/unreachable', 'NoExecute', 30],
    ]);
  }
});

test('each overlay names the image in one place, and nothing else names its version', () => {
  const own = [api, worker, migration].flatMap(({ spec }) => listContainers(spec));
  expect(own.map(({ image }) => image)).toEqual(['widget-service', 'widget-service', 'widget-service']);
  const overlays = manifests.filter(({ file }) => /^overlays\/\w+\/kustomization.yaml$/.test(file));
  expect(overlays.map(({ images }) => images.map(({ name }: { name: string }) => name))).toEqual([
    ['widget-service'],
    ['widget-service'],
  ]);
});

test('every object has the label of the service, and every selector selects pods', () => {
  const podLabels = manifests.flatMap(({ spec }) => spec?.template?.metadata?.labels ?? []);
  const selects = (selector: Record<string, string>) =>
    podLabels.some((labels) => Object.entries(selector).every(([key, value]) => labels[key] === value));
  for (const { kind, metadata, spec, file } of manifests) {
    if (['Kustomization', 'Component', 'Namespace'].includes(kind)) continue;
    expect(metadata?.labels, `${file}: ${kind}`).toHaveProperty('app.kubernetes.io/name');
    const selector =
      spec?.selector?.matchLabels ?? (kind === 'Service' ? spec.selector : spec?.podSelector?.matchLabels);
    if (selector !== undefined) expect(selects(selector), `${file}: ${kind}`).toBe(true);
  }
});

test('ports are those on which the processes listen', () => {
  const portsOf = ({ spec }: Manifest) =>
    listContainers(spec)[0].ports.map(({ containerPort }: { containerPort: number }) => containerPort);
  const stores = { MONGODB_URL: 'mongodb://127.0.0.1/', REDIS_URL: 'redis://127.0.0.1/' };
  const apiSettings = parseSettings(stores, { app: 'api' }).settings;
  const workerSettings = parseSettings(stores, { app: 'worker' }).settings;
  expect(portsOf(api)).toEqual([apiSettings.PORT, apiSettings.OPS_PORT]);
  expect(portsOf(worker)).toEqual([workerSettings.OPS_PORT]);
});

test('the grace period is longer than the longest drain', () => {
  const { DRAIN_DELAY_MS } = readApiSettings();
  // docs/operations.md: a drain takes at most five times the setting plus 35 s.
  const longestDrainSeconds = (5 * DRAIN_DELAY_MS) / 1_000 + 35;
  for (const { spec } of [api, worker]) {
    expect(spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(longestDrainSeconds);
  }
});

test('the memory limit of an api pod is enough for all its streams, three in ten of them slow', () => {
  const { STREAMS_PER_POD } = readApiSettings();
  const { unsentLimitBytes, ringBytes } = fanOutDefaults;
  const [container] = listContainers(api.spec);
  const option = (name: string) =>
    Number(container.command.find((word: string) => word.startsWith(`${name}=`)).split('=')[1]);
  const [{ value: sendBuffer }] = api.spec.template.spec.securityContext.sysctls;
  const mebibyte = 1024 ** 2;
  // docs/kubernetes.md explains each of these.
  const fixed = 150 + ringBytes / mebibyte + 16 + 64;
  const idle = (STREAMS_PER_POD * 10) / 1024;
  const slowStreamBytes = unsentLimitBytes + 200 * 1024 + Number(sendBuffer.split(' ')[2]);
  const slow = (share: number) => (share * STREAMS_PER_POD * slowStreamBytes) / mebibyte;
  const { requests, limits } = container.resources;
  expect(Number.parseInt(requests.memory, 10)).toBeGreaterThanOrEqual(fixed + idle + slow(0.1));
  expect(Number.parseInt(limits.memory, 10)).toBeGreaterThanOrEqual(fixed + idle + slow(0.3));
  // The heap may fill up while one stream in ten is slow. Node uses three semi-spaces.
  const heap = option('--max-old-space-size') + 3 * option('--max-semi-space-size');
  const outsideHeap = 80 + ringBytes / mebibyte + slow(0.1);
  expect(Number.parseInt(limits.memory, 10)).toBeGreaterThanOrEqual(heap + outsideHeap);
});

test('autoscalers leave room for a lost zone, add no idle worker, and read metrics that exist', () => {
  const { STREAMS_PER_POD, HOOK_PARTITIONS } = readApiSettings();
  const pods = findManifest(manifests, 'HorizontalPodAutoscaler', 'widget-api').spec.metrics.find(
    ({ type }: Manifest) => type === 'Pods',
  ).pods;
  expect(Number(pods.target.averageValue) * 1.5).toBeLessThanOrEqual(STREAMS_PER_POD);
  const keda = findManifest(manifests, 'ScaledObject', 'widget-worker').spec;
  expect(keda.maxReplicaCount).toBe(HOOK_PARTITIONS);
  const metrics = readFileSync(join(root, 'docs/metrics.md'), 'utf8');
  expect(metrics).toContain(`| \`${pods.metric.name}\` | gauge | api |`);
  const [queried] = /widget_\w+/.exec(keda.triggers[0].metadata.query) ?? [];
  expect(metrics).toContain(`| \`${queried}\` | gauge | api |`);
});
