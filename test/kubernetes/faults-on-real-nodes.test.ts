import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand } from '../deploy/kubectl.ts';
import { type Load, openLoad } from '../drivers/cluster/load.ts';
import { eventually } from '../drivers/tools/eventually.ts';
import { startStopwatch } from '../drivers/tools/stopwatch.ts';
import { type Checkpoints, createCheckpoints } from '../faults/checkpoint.ts';
import { isLong } from '../faults/scale.ts';
import { findReasonToSkip, openRealCluster, type RealCluster } from './real-cluster.ts';

const reasonToSkip = await findReasonToSkip();
if (reasonToSkip !== null) console.log(`*** SKIPPED: faults on real nodes (${reasonToSkip}) ***`);

/** Commands that switch a node off and on. They get the name of the node. Only whoever made the cluster knows them. */
const { NODE_OFF_COMMAND = '', NODE_ON_COMMAND = '' } = process.env;
/** The tag of an image of an earlier version. Every node must have it. */
const { KUBERNETES_EARLIER_IMAGE_TAG: earlierTag = '' } = process.env;

const rates = isLong
  ? { hooksPerSecond: 100, createsPerSecond: 5, streams: 500 }
  : { hooksPerSecond: 30, createsPerSecond: 3, streams: 100 };
const timeout = 600_000;

let cluster: RealCluster;
let load: Load;
let checkpoints: Checkpoints;

beforeAll(async () => {
  if (reasonToSkip !== null) return;
  const elapsedMs = startStopwatch();
  cluster = await openRealCluster();
  await cluster.waitUntilHealthy();
  console.log(`deploy.sh took ${Math.round(elapsedMs() / 1_000)} s`);
  load = await openLoad({ url: cluster.url }, { ...rates, revocationsPerSecond: 0.2 });
  checkpoints = createCheckpoints('a real Kubernetes', cluster.checked, load);
  load.start();
}, timeout);
afterAll(async () => {
  await load?.close();
  await checkpoints?.report();
  await cluster?.dispose();
}, 120_000);

/** Runs the fault under load. Then everything must be as promised. */
async function survive(fault: string, happen: () => Promise<unknown>): Promise<void> {
  const elapsedMs = startStopwatch();
  await happen();
  await cluster.waitUntilHealthy();
  console.log(`${fault}: ${Math.round(elapsedMs() / 1_000)} s until all is ready`);
  await checkpoints.take(fault, { withinMs: 120_000 }).finally(() => logUnanswered(fault));
}

let reportedRequests = 0;

/** Says why requests got no answer, and how many for each reason. */
function logUnanswered(fault: string): void {
  const { hooks } = load.recording;
  const counts = new Map<string, number>();
  for (const { outcome, failure } of hooks.slice(reportedRequests)) {
    if (outcome === 'unknown') counts.set(failure, (counts.get(failure) ?? 0) + 1);
  }
  reportedRequests = hooks.length;
  for (const [failure, count] of counts) console.log(`${fault}: ${count} hooks without an answer: ${failure}`);
}

const testOnNodes = test.skipIf(reasonToSkip !== null);

testOnNodes('a rolling restart of the workers and the pods', { timeout }, () =>
  survive('rolling restart', async () => {
    for (const name of ['widget-worker', 'widget-api']) {
      await cluster.kubectl('rollout', 'restart', 'deployment', name);
      await cluster.kubectl('rollout', 'status', 'deployment', name, '--timeout', '240s');
    }
  }),
);

testOnNodes.each([
  {
    component: 'worker',
    change: ['set', 'image', 'deployment/widget-worker', 'worker=widget-service:9.9.9'],
    reason: /Err(ImagePull|ImageNeverPull)|ImagePullBackOff/,
  },
  {
    component: 'api',
    change: ['set', 'env', 'deployment/widget-api', 'HOOK_RATE_PER_SECOND=many'],
    reason: /CrashLoopBackOff|Error/,
  },
] as const)(
  'a rollout of $component that cannot start stops, and nobody notices',
  { timeout },
  ({ component, change, reason }) =>
    survive(`bad rollout: ${change.at(-1)}`, async () => {
      const before = (await cluster.listPods(component)).map(({ metadata }) => metadata.name);
      await cluster.kubectl(...change);
      await eventually(
        async () => reason.test(await cluster.kubectl('get', 'pods')),
        'the new pod says why it does not start',
        60_000,
      );
      await delay(10_000);
      expect((await cluster.listPods(component)).map(({ metadata }) => metadata.name)).toEqual(
        expect.arrayContaining(before),
      );
      await cluster.kubectl('rollout', 'undo', `deployment/widget-${component}`);
    }),
);

testOnNodes(
  'deploy.sh ends within a minute if there is no such image, says so, and changes no pod',
  { timeout },
  async () => {
    const elapsedMs = startStopwatch();
    const failure = await cluster.deploy('9.9.9').catch((error: Error) => error.message);
    expect(failure).toMatch(/pods cannot start:\n.*widget-service:9\.9\.9/s);
    expect(failure).toContain('No worker and no api pod was changed.');
    expect(elapsedMs()).toBeLessThan(90_000);
    console.log(`deploy.sh gave up after ${Math.round(elapsedMs() / 1_000)} s`);
    await survive('deploy.sh with a wrong tag', () => cluster.deploy('0.1.0'));
  },
);

testOnNodes('a pod and a worker are deleted by force', { timeout }, () =>
  survive('kubectl delete pod --force', async () => {
    for (const component of ['api', 'worker'] as const) {
      const [pod] = await cluster.listPods(component);
      await cluster.kubectl('delete', 'pod', pod!.metadata.name, '--force', '--grace-period=0');
    }
  }),
);

testOnNodes('a pod and a worker need too much memory, and the kernel ends them', { timeout }, () =>
  survive('out of memory', async () => {
    for (const component of ['api', 'worker'] as const) {
      const [pod] = await cluster.listPods(component);
      const { name } = pod!.metadata;
      // The kernel ends the process with the highest score, which grows with its memory. So many processes take the
      // memory, none of them much, and process 1 gets the highest base.
      const command = 'for i in {1..60}; do head -c 32m /dev/zero | tail | sleep 60 & done; wait';
      await cluster
        .kubectl('exec', name, '--', 'bash', '-c', `echo 1000 >/proc/1/oom_score_adj; ${command}`)
        .catch(() => '');
      const reason = 'jsonpath={.status.containerStatuses[0].lastState.terminated.reason}';
      await eventually(
        async () => /OOMKilled/.test(await cluster.kubectl('get', 'pod', name, '--output', reason)),
        `${name} was ended`,
        60_000,
      );
      console.log(`${name}: ${await cluster.kubectl('get', 'pod', name, '--output', reason)}`);
    }
  }),
);

/** Keeps the event loop of a pod busy, by the debugger that Node opens at SIGUSR1. Resolves when it is free again. */
async function blockEventLoop(pod: string, ms: number): Promise<void> {
  const script = `
    const [{ webSocketDebuggerUrl }] = await (await fetch('http://127.0.0.1:9229/json/list')).json();
    const socket = new WebSocket(webSocketDebuggerUrl);
    await new Promise((resolve) => socket.addEventListener('open', resolve));
    const expression = 'for (const end = Date.now() + ${ms}; Date.now() < end; );';
    socket.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression } }));
    await new Promise((resolve) => socket.addEventListener('message', resolve));
    process.exit(0);`;
  const command = 'kill -USR1 1; sleep 1; exec node --input-type=module --eval "$0"';
  await cluster.kubectl('exec', pod, '--', 'bash', '-c', command, script);
}

async function countRestarts(): Promise<number> {
  const pods = [...(await cluster.listPods('api')), ...(await cluster.listPods('worker'))];
  return pods.reduce((sum, { status }) => sum + (status.containerStatuses?.[0]?.restartCount ?? 0), 0);
}

testOnNodes(
  'a pod and a worker whose event loops are blocked for 4 s, 8 s and 20 s are not restarted',
  { timeout },
  () =>
    survive('blocked event loops', async () => {
      const before = await countRestarts();
      for (const component of ['api', 'worker'] as const) {
        const [pod] = await cluster.listPods(component);
        for (const ms of [4_000, 8_000, 20_000]) {
          await blockEventLoop(pod!.metadata.name, ms);
          await cluster.waitUntilReady(component, 60_000);
        }
      }
      expect(await countRestarts()).toBe(before);
    }),
);

testOnNodes('pods and workers with a tenth of a processor start, and are not restarted', { timeout }, () =>
  survive('a tenth of a processor', async () => {
    await load.pause();
    const names = ['widget-worker', 'widget-api'];
    for (const name of names) {
      const elapsedMs = startStopwatch();
      await cluster.kubectl('set', 'resources', 'deployment', name, '--limits', 'cpu=100m', '--requests', 'cpu=100m');
      await cluster.kubectl('rollout', 'status', 'deployment', name, '--timeout', '300s');
      console.log(`${name} with 100m rolled out after ${Math.round(elapsedMs() / 1_000)} s`);
    }
    await delay(30_000);
    expect(await countRestarts()).toBe(0);
    for (const name of names.reverse()) {
      await cluster.kubectl('rollout', 'undo', 'deployment', name);
      await cluster.kubectl('rollout', 'status', 'deployment', name, '--timeout', '240s');
    }
    load.start();
  }),
);

testOnNodes.each(['redis', 'mongodb'])('the pod of %s is deleted, and comes back with its data', { timeout }, (store) =>
  survive(`${store} is deleted`, () => cluster.kubectl('delete', 'pod', `${store}-0`)),
);

testOnNodes('each node without the stores is drained in turn', { timeout }, () =>
  survive('drain of each node', async () => {
    for (const node of cluster.nodes) {
      const options = ['--ignore-daemonsets', '--delete-emptydir-data', '--timeout=240s'];
      await runCommand('kubectl', ['drain', node, ...options, `--pod-selector=app.kubernetes.io/name=widget-service`]);
      await cluster.waitUntilHealthy();
      await runCommand('kubectl', ['uncordon', node]);
    }
  }),
);

testOnNodes('no name is resolved for 20 s', { timeout }, () =>
  survive('no DNS for 20 s', async () => {
    const dns = (...args: string[]) => runCommand('kubectl', ['--namespace', 'kube-system', ...args]);
    const replicas = await dns('get', 'deployment', 'coredns', '--output', 'jsonpath={.spec.replicas}');
    await dns('scale', 'deployment', 'coredns', '--replicas', '0');
    await delay(20_000);
    await dns('scale', 'deployment', 'coredns', '--replicas', replicas.trim());
  }),
);

testOnNodes('2 pods and workers become 6, and 2 again, as an autoscaler does it', { timeout }, () =>
  survive('2 to 6 to 2', async () => {
    for (const replicas of [6, 2]) {
      const elapsedMs = startStopwatch();
      await cluster.kubectl('scale', 'deployment', 'widget-api', 'widget-worker', `--replicas=${replicas}`);
      const isScaled = async () => (await cluster.listPods('api')).length === replicas;
      await eventually(isScaled, `${replicas} pods run`, 180_000);
      await cluster.waitUntilHealthy();
      console.log(`${replicas} pods and workers after ${Math.round(elapsedMs() / 1_000)} s`);
      await delay(5_000);
    }
  }),
);

/** Says how long the pods that run took from their schedule until they were ready. Kubernetes gives whole seconds. */
async function logStartTimes(tag: string): Promise<void> {
  for (const component of ['api', 'worker'] as const) {
    const times = (await cluster.listPods(component)).map(({ status }) => {
      const conditions = status.conditions as readonly { readonly type: string; readonly lastTransitionTime: string }[];
      const find = (wanted: string) => Date.parse(conditions.find(({ type }) => type === wanted)!.lastTransitionTime);
      return (find('Ready') - find('PodScheduled')) / 1_000;
    });
    console.log(`${component} ${tag}: ready ${times.join(' s, ')} s after its schedule`);
  }
}

test.skipIf(reasonToSkip !== null || earlierTag === '')(
  'an upgrade from the earlier version, and its undo',
  { timeout },
  () =>
    survive('upgrade and undo', async () => {
      for (const tag of [earlierTag, '0.1.0']) {
        await cluster.deploy(tag);
        await logStartTimes(tag);
      }
      for (const name of ['widget-api', 'widget-worker']) {
        await cluster.kubectl('rollout', 'undo', 'deployment', name);
        await cluster.kubectl('rollout', 'status', 'deployment', name, '--timeout', '240s');
      }
      await cluster.deploy('0.1.0');
    }),
);

test.skipIf(reasonToSkip !== null || NODE_OFF_COMMAND === '')(
  'a node loses its power, and comes back',
  { timeout },
  () =>
    survive('power cut of a node', async () => {
      const node = cluster.nodes[0]!;
      await runCommand('bash', ['-c', `${NODE_OFF_COMMAND} ${node}`]);
      const podsOn = async () => {
        const pods = [...(await cluster.listPods('api')), ...(await cluster.listPods('worker'))];
        return pods.filter(({ spec, status }) => spec.nodeName === node && status.containerStatuses?.[0]?.ready).length;
      };
      const elapsedMs = startStopwatch();
      await eventually(async () => (await podsOn()) === 0, 'the pods of the node count as lost', 120_000);
      await cluster.waitUntilHealthy(240_000);
      console.log(`the pods of the lost node are replaced after ${Math.round(elapsedMs() / 1_000)} s`);
      await runCommand('bash', ['-c', `${NODE_ON_COMMAND} ${node}`]);
      await eventually(
        async () =>
          /True/.test(
            await runCommand('kubectl', [
              'get',
              'node',
              node,
              '--output',
              'jsonpath={.status.conditions[?(@.type=="Ready")].status}',
            ]),
          ),
        'the node is ready',
        180_000,
      );
    }),
);
