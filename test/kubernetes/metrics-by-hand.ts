import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { applyObjects, type ClusterObject, listObjects, makeKubectl, runCommand } from '../deploy/kubectl.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import { createCertificate } from '../faults/shipped-proxy.ts';
import { restricted } from './restricted.ts';

/** What a HorizontalPodAutoscaler reads about the api pods, set by the test. */
export interface MetricsByHand {
  /** Divides this many streams evenly among the pods, in all answers from now on. */
  setStreamsOpen(total: number): void;
  /** Removes the APIs, without which no namespace can be deleted. */
  close(): Promise<void>;
}

interface MetricsByHandOptions {
  readonly namespace: string;
  /** An image with `node`, which every node must have. */
  readonly image: string;
  readonly listPods: () => Promise<readonly ClusterObject[]>;
}

const port = 6443;
const apis = [
  { group: 'custom.metrics.k8s.io', version: 'v1beta2', resource: 'pods/widget_streams_open', kind: 'MetricValueList' },
  { group: 'metrics.k8s.io', version: 'v1beta1', resource: 'pods', kind: 'PodMetrics' },
] as const;

/**
 * Runs in a pod. PUT / replaces the answers, which belong to a path without its query.
 */
const serverScript = `
  import { readFileSync } from 'node:fs';
  import { createServer } from 'node:https';
  const [key, cert] = ['key.pem', 'cert.pem'].map((name) => readFileSync('/files/' + name));
  let answers = {};
  createServer({ key, cert }, async (request, response) => {
    if (request.method === 'PUT') {
      answers = JSON.parse(Buffer.concat(await request.toArray()).toString());
      return response.end();
    }
    const answer = answers[decodeURIComponent(request.url.split('?')[0])];
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? {}));
  }).listen(${port});
  process.once('SIGTERM', () => process.exit(0));`;

/** Serves the two metrics of the shipped HorizontalPodAutoscaler, as a metrics server and an adapter would. */
export async function serveMetricsByHand(options: MetricsByHandOptions): Promise<MetricsByHand> {
  const { namespace, image, listPods } = options;
  const kubectl = makeKubectl(namespace);
  await startServer(namespace, image);
  await kubectl('rollout', 'status', 'deployment/metrics-by-hand', '--timeout', '60s');
  await addApis(namespace);
  let total = 0;
  const write = async () => {
    const [server] = await listObjects(namespace, 'pod', 'app=metrics-by-hand');
    const body = JSON.stringify(toAnswers(namespace, await listPods(), total));
    const command = `fetch('https://127.0.0.1:${port}/', { method: 'PUT', body: process.argv[1] })`;
    const unverified = ['env', 'NODE_TLS_REJECT_UNAUTHORIZED=0', 'NODE_NO_WARNINGS=1'];
    await kubectl('exec', server?.metadata.name ?? '', '--', ...unverified, 'node', '--eval', command, body);
  };
  await write();
  const areAvailable = async () => {
    const found = await listObjects('', 'apiservice', 'test-run=metrics-by-hand');
    const conditions = found.map(({ status }) => status?.conditions?.[0]?.status);
    return conditions.length === apis.length && conditions.every((status) => status === 'True');
  };
  const stopping = new AbortController();
  const running = (async () => {
    while (!stopping.signal.aborted) {
      await delay(3_000);
      await write();
    }
  })();
  const close = async () => {
    stopping.abort();
    await running;
    await removeApis();
  };
  await eventually(areAvailable, 'the APIs of the metrics are available', 60_000).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return {
    setStreamsOpen: (next) => {
      total = next;
    },
    close,
  };
}

/** While an API does not answer, no namespace can be deleted. */
const removeApis = () =>
  runCommand('kubectl', ['delete', 'apiservice', '--selector', 'test-run=metrics-by-hand', '--ignore-not-found']);

/** Returns what the two APIs answer: their resources, and the values of each pod. */
function toAnswers(namespace: string, pods: readonly ClusterObject[], total: number): Readonly<Record<string, object>> {
  const timestamp = new Date().toISOString();
  const lists = apis.map(({ group, version, resource, kind }) => [
    `/apis/${group}/${version}`,
    {
      ...{ kind: 'APIResourceList', apiVersion: 'v1', groupVersion: `${group}/${version}` },
      resources: [{ name: resource, singularName: '', namespaced: true, kind, verbs: ['get', 'list'] }],
    },
  ]);
  const streams = pods.map(({ metadata: { name } }) => ({
    describedObject: { kind: 'Pod', apiVersion: '/v1', namespace, name },
    ...{ metric: { name: 'widget_streams_open' }, timestamp, value: `${Math.round(total / pods.length)}` },
  }));
  const usages = pods.map(({ metadata: { name } }) => ({
    metadata: { name, namespace, creationTimestamp: timestamp },
    ...{ timestamp, window: '30s', containers: [{ name: 'api', usage: { cpu: '100m', memory: '100Mi' } }] },
  }));
  return {
    ...Object.fromEntries(lists),
    [`/apis/custom.metrics.k8s.io/v1beta2/namespaces/${namespace}/pods/*/widget_streams_open`]: {
      ...{ kind: 'MetricValueList', apiVersion: 'custom.metrics.k8s.io/v1beta2', metadata: {}, items: streams },
    },
    [`/apis/metrics.k8s.io/v1beta1/namespaces/${namespace}/pods`]: {
      ...{ kind: 'PodMetricsList', apiVersion: 'metrics.k8s.io/v1beta1', metadata: {}, items: usages },
    },
  };
}

async function startServer(namespace: string, image: string): Promise<void> {
  const name = 'metrics-by-hand';
  const labels = { app: name };
  const metadata = { name, namespace };
  const container = {
    ...{ name, image, command: ['node', '/files/server.mjs'], ports: [{ name: 'https', containerPort: port }] },
    readinessProbe: { tcpSocket: { port: 'https' }, periodSeconds: 1 },
    volumeMounts: [{ name: 'files', mountPath: '/files' }],
    securityContext: restricted,
  };
  const spec = { containers: [container], volumes: [{ name: 'files', configMap: { name } }] };
  await applyObjects([
    { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: await makeFiles() },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: { selector: labels, ports: [{ port: 443, targetPort: 'https' }] },
    },
    {
      ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata },
      spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
    },
  ]);
}

/** The kube-apiserver passes on what it is asked of these APIs. */
const addApis = (namespace: string) =>
  applyObjects(
    apis.map(({ group, version }) => ({
      ...{ apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService' },
      metadata: { name: `${version}.${group}`, labels: { 'test-run': 'metrics-by-hand' } },
      spec: {
        ...{ group, version, groupPriorityMinimum: 100, versionPriority: 100, insecureSkipTLSVerify: true },
        service: { namespace, name: 'metrics-by-hand', port: 443 },
      },
    })),
  );

async function makeFiles(): Promise<Readonly<Record<string, string>>> {
  const folder = mkdtempSync(join(tmpdir(), 'widget-certificate-'));
  try {
    const { certificateFile, keyFile } = await createCertificate(folder);
    const [cert, key] = [certificateFile, keyFile].map((file) => readFileSync(file, 'utf8'));
    return { 'server.mjs': serverScript, 'cert.pem': cert ?? '', 'key.pem': key ?? '' };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
