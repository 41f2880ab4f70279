import { randomBytes } from 'node:crypto';
import { applyObjects, type ClusterObject, listObjects, makeKubectl, runCommand } from '../deploy/kubectl.ts';
import { makeOperatorCopy } from '../deploy/operator-copy.ts';
import { testAdmin } from '../drivers/app/console-client.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import type { CheckedDeployment } from '../faults/checked-deployment.ts';
import { createFerretUser } from '../faults/ferretdb-user.ts';
import { checkRemoteDeployment } from '../faults/remote-deployment.ts';
import { startProxyPod } from './proxy-pod.ts';

type Component = 'api' | 'worker';

/** The service on a Kubernetes where pods run, in a namespace of its own. Its stores keep their data on one node. */
export interface RealCluster {
  readonly namespace: string;
  /**
   * The address of the proxy in front, or of the Service if there is none: a cluster IP, which this machine must reach.
   */
  readonly url: string;
  /** The node of the stores. It must not be damaged for longer than a client may wait. */
  readonly storeNode: string;
  /** The other nodes. */
  readonly nodes: readonly string[];
  readonly kubectl: ReturnType<typeof makeKubectl>;
  /** Runs deploy.sh with this tag of the image. Returns what it printed. Rejects if it fails. */
  deploy(tag: string): Promise<string>;
  /** Returns the pods of a component that are not about to end, oldest first. */
  listPods(component: Component): Promise<ClusterObject[]>;
  /** Waits until a component has this many pods, all of its newest version and ready. */
  waitUntilReady(component: Component, withinMs?: number): Promise<void>;
  /** Waits until both components and the stores are ready. */
  waitUntilHealthy(withinMs?: number): Promise<void>;
  readonly checked: CheckedDeployment;
  dispose(): Promise<void>;
}

const stores = ['mongodb', 'redis'] as const;
const firstTag = process.env.KUBERNETES_IMAGE_TAG ?? '0.1.0';
/** An image with haproxy. Every node must have it. */
const { KUBERNETES_HAPROXY_IMAGE: proxyImage = '' } = process.env;

/**
 * Returns why the scenario cannot run, or null if it can. It kills pods and empties nodes, so it accepts only nodes
 * where pods run, and at least two of them.
 */
export async function findReasonToSkip(): Promise<string | null> {
  if ((process.env.KUBECONFIG ?? '') === '') return 'KUBECONFIG is not set';
  const nodes = await listObjects('', 'node').catch(() => []);
  if (nodes.length < 2) return 'KUBECONFIG does not lead to a cluster of two nodes or more';
  const areSimulated = nodes.some(({ status }) => status.nodeInfo.kubeletVersion.startsWith('kwok-'));
  return areSimulated ? 'the nodes of KUBECONFIG are simulated' : null;
}

/** Deploys the overlay `local`, with 2 pods and 2 workers. Every node must have the images of the overlay. */
export async function openRealCluster(): Promise<RealCluster> {
  const namespace = `widget-scenario-${Date.now().toString(36)}`;
  const kubectl = makeKubectl(namespace);
  const copy = makeOperatorCopy();
  const found = (await listObjects('', 'node')).sort((a, b) => a.metadata.name.localeCompare(b.metadata.name));
  const [storeNode = '', ...nodes] = found.map(({ metadata }) => metadata.name);
  if (proxyImage !== '') {
    const literal = '- COOKIE_SECURE=false';
    const trusted = `- TRUSTED_PROXIES=${found[0]?.spec.podCIDR}`;
    copy.edit('overlays/local/kustomization.yaml', literal, `${literal}\n      ${trusted}`);
  }
  await runCommand('kubectl', ['create', 'namespace', namespace]);
  const password = randomBytes(24).toString('hex');
  const literals = (values: Readonly<Record<string, string>>) =>
    Object.entries(values).map(([name, value]) => `--from-literal=${name}=${value}`);
  const makeSecret = (name: string, values: Readonly<Record<string, string>>) =>
    kubectl('create', 'secret', 'generic', name, ...literals(values));
  await makeSecret('widget-first-admin', { ADMIN_EMAIL: testAdmin.email, ADMIN_PASSWORD: testAdmin.password });
  await makeSecret('widget-stores', {
    PASSWORD: password,
    MONGODB_URL: `mongodb://root:${password}@mongodb:27017/widgets?authSource=admin`,
    REDIS_URL: `redis://:${password}@redis:6379/`,
  });
  await prepareVolumes(namespace, storeNode);
  const overlay = copy.makeOverlay({
    overlay: 'local',
    namespace,
    patches: stores.map((name) => keepData(name, storeNode)),
  });
  let tag = '0.1.0';
  const deploy = async (next: string) => {
    if (next !== tag) copy.edit('overlays/local/kustomization.yaml', `newTag: ${tag}`, `newTag: ${next}`);
    tag = next;
    return runCommand(copy.script, [overlay], { API_PODS: '2', WORKERS: '2', ROLLOUT_TIMEOUT: '240s' });
  };
  // The stores first: deploy.sh begins with the migration, which ends for good if MongoDB refuses its password.
  await runCommand('kubectl', [
    'apply',
    '--kustomize',
    overlay,
    '--selector',
    'app.kubernetes.io/name in (mongodb, redis)',
  ]);
  for (const store of stores) await kubectl('rollout', 'status', `statefulset/${store}`, '--timeout', '120s');
  await kubectl('exec', 'mongodb-0', '--', 'bash', '-c', createFerretUser);
  await deploy(firstTag);
  const addressOf = async (service: string) =>
    (await kubectl('get', 'service', service, '--output', 'jsonpath={.spec.clusterIP}')).trim();
  if (proxyImage === '') console.log('no proxy in front: KUBERNETES_HAPROXY_IMAGE is not set');
  const url =
    proxyImage === ''
      ? `http://${await addressOf('widget-api')}`
      : await startProxyPod({ namespace, kubectl, image: proxyImage, node: storeNode });

  const listPods = async (component: Component) => {
    const pods = await listObjects(namespace, 'pod', `app.kubernetes.io/component=${component}`);
    return pods
      .filter(({ metadata, status }) => metadata.deletionTimestamp === undefined && status.phase === 'Running')
      .sort((a, b) => a.metadata.creationTimestamp.localeCompare(b.metadata.creationTimestamp));
  };
  const waitUntilReady = async (component: Component, withinMs = 180_000) => {
    const isReady = async () => {
      const [deployment] = await listObjects(namespace, 'deployment', `app.kubernetes.io/component=${component}`);
      const { status, spec, metadata } = deployment!;
      const counts = [status.replicas, status.updatedReplicas, status.readyReplicas];
      return status.observedGeneration === metadata.generation && counts.every((count) => count === spec.replicas);
    };
    await eventually(isReady, `every ${component} is ready`, withinMs);
  };
  const areStoresReady = async () => {
    const sets = await listObjects(namespace, 'statefulset');
    return sets.length === stores.length && sets.every(({ status }) => status.readyReplicas === 1);
  };
  /** The clocks of the nodes are that of this machine. A line may be read twice. */
  let readLogsAt: Date | null = null;
  return {
    ...{ url, namespace, storeNode, nodes, kubectl, deploy, listPods, waitUntilReady },
    waitUntilHealthy: async (withinMs = 180_000) => {
      await eventually(areStoresReady, 'the stores are ready', withinMs);
      await waitUntilReady('worker', withinMs);
      await waitUntilReady('api', withinMs);
    },
    checked: checkRemoteDeployment({
      findStores: async () => ({
        mongodbUrl: `mongodb://root:${password}@${await addressOf('mongodb')}:27017/widgets?authSource=admin&directConnection=true`,
        redisUrl: `redis://:${password}@${await addressOf('redis')}:6379/`,
      }),
      listProcesses: async () => {
        const pods = [...(await listPods('api')), ...(await listPods('worker'))];
        return pods.map(({ metadata, status }) => {
          const isApi = metadata.labels?.['app.kubernetes.io/component'] === 'api';
          return { name: metadata.name, isApi, opsUrl: `http://${status.podIP}:${isApi ? 8081 : 8082}` };
        });
      },
      readNewLogs: async () => {
        const since = readLogsAt === null ? [] : [`--since-time=${readLogsAt.toISOString()}`];
        readLogsAt = new Date();
        const options = ['--tail', '-1', '--prefix=false', '--ignore-errors', ...since];
        return { logs: await kubectl('logs', '--selector', 'app.kubernetes.io/name=widget-service', ...options) };
      },
    }),
    dispose: async () => {
      await runCommand('kubectl', ['delete', 'namespace', namespace, '--timeout=90s']);
      await runOnNode(`${namespace}-remove`, storeNode, `rm -rf ${storesFolder(namespace)}`);
      for (const store of stores)
        await runCommand('kubectl', ['delete', 'pv', `${namespace}-${store}`, '--ignore-not-found', '--wait=false']);
      copy.remove();
    },
  };
}

/** A patch that keeps the data of a store when its pod ends: in a volume of its own, on one node. */
function keepData(store: string, node: string): string {
  const volume = { name: 'data', persistentVolumeClaim: { claimName: `data-${store}` } };
  const pod = '/spec/template/spec';
  const patch = [
    { op: 'test', path: `${pod}/volumes/0/name`, value: 'data' },
    { op: 'replace', path: `${pod}/volumes/0`, value: volume },
    { op: 'add', path: `${pod}/nodeSelector`, value: { 'kubernetes.io/hostname': node } },
  ];
  return JSON.stringify({ target: { kind: 'StatefulSet', name: store }, patch: JSON.stringify(patch) });
}

const storesFolder = (namespace: string) => `/var/lib/${namespace}`;

/** Runs a command as root in a pod that sees the node's `/var/lib`. Resolves when it has succeeded. */
async function runOnNode(pod: string, nodeName: string, command: string): Promise<void> {
  const container = {
    name: 'command',
    image: `widget-service:${firstTag}`,
    command: ['bash', '-c', command],
    securityContext: { runAsUser: 0 },
    volumeMounts: [{ name: 'lib', mountPath: '/var/lib' }],
  };
  const volumes = [{ name: 'lib', hostPath: { path: '/var/lib' } }];
  const spec = { nodeName, restartPolicy: 'Never', containers: [container], volumes };
  await applyObjects([{ apiVersion: 'v1', kind: 'Pod', metadata: { name: pod, namespace: 'kube-system' }, spec }]);
  const hasEnded = async () => {
    const [found] = (await listObjects('kube-system', 'pod')).filter(({ metadata }) => metadata.name === pod);
    return found?.status.phase === 'Succeeded';
  };
  await eventually(hasEnded, `${pod} has ended`, 60_000);
  await runCommand('kubectl', ['--namespace', 'kube-system', 'delete', 'pod', pod, '--wait=false']);
}

/**
 * Makes a folder for each store on the node, which belongs to the user of the store, and volumes with these folders.
 */
async function prepareVolumes(namespace: string, node: string): Promise<void> {
  const folder = storesFolder(namespace);
  const command = stores.map((store) => `mkdir -p ${folder}/${store} && chown 999:999 ${folder}/${store}`).join(' && ');
  await runOnNode(`${namespace}-prepare`, node, command);
  const objects = stores.flatMap((store) => [
    {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: `${namespace}-${store}` },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        storageClassName: namespace,
        claimRef: { namespace, name: `data-${store}` },
        hostPath: { path: `${folder}/${store}` },
      },
    },
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: `data-${store}`, namespace },
      spec: {
        accessModes: ['ReadWriteOnce'],
        storageClassName: namespace,
        volumeName: `${namespace}-${store}`,
        resources: { requests: { storage: '1Gi' } },
      },
    },
  ]);
  await applyObjects(objects);
}
