import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Runs a command with the cluster of KUBECONFIG. Returns what it printed, or throws it if the command fails. */
export async function runCommand(
  program: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  try {
    const options = { env: { ...process.env, ...environment }, maxBuffer: 64 * 1024 * 1024 };
    const { stdout, stderr } = await run(program, args, options);
    return `${stdout}${stderr}`;
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    throw new Error(`${program} ${args.join(' ')} failed: ${stdout}${stderr}`, { cause: error });
  }
}

/** Runs kubectl in a namespace. */
export function makeKubectl(namespace: string) {
  return (...args: string[]) => runCommand('kubectl', ['--namespace', namespace, ...args]);
}

/** The part of an object of the cluster that the tests read. */
export interface ClusterObject {
  readonly metadata: {
    readonly name: string;
    readonly creationTimestamp: string;
    readonly deletionTimestamp?: string;
    readonly generation: number;
    readonly ownerReferences?: readonly { readonly name: string }[];
    readonly labels?: Readonly<Record<string, string>>;
  };
  // biome-ignore lint/suspicious/noExplicitAny: each kind has its own fields, and a test reads a few of them.
  readonly [field: string]: any;
}

/** Returns the objects of a kind in a namespace. */
export async function listObjects(namespace: string, kind: string, selector = ''): Promise<ClusterObject[]> {
  const args = ['--namespace', namespace, 'get', kind, '--selector', selector, '--output', 'json'];
  const { stdout } = await run('kubectl', args, { maxBuffer: 64 * 1024 * 1024 });
  return JSON.parse(stdout).items;
}

/** Creates objects, or changes them to what is given. */
export async function applyObjects(items: readonly object[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'widget-objects-'));
  try {
    const file = join(folder, 'objects.json');
    writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    await runCommand('kubectl', ['apply', '--filename', file]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Returns why the tests cannot use the cluster of KUBECONFIG, or null if they can. They drain a node and deploy dozens
 * of pods, so they accept only simulated nodes (KWOK).
 */
export function findReasonToSkip(): string | null {
  if ((process.env.KUBECONFIG ?? '') === '') return 'KUBECONFIG is not set';
  const path = 'jsonpath={range .items[*]}{.status.nodeInfo.kubeletVersion}{"\\n"}{end}';
  const { status, stdout, error } = spawnSync('kubectl', ['get', 'nodes', '--output', path], { encoding: 'utf8' });
  if (error !== undefined || status !== 0) return 'kubectl cannot read the nodes of KUBECONFIG';
  const versions = stdout.trim().split('\n');
  return versions.every((version) => version.startsWith('kwok-')) ? null : 'the nodes of KUBECONFIG are not simulated';
}

/**
 * Samples a Deployment and its PodDisruptionBudget while something happens: the fewest pods that were available, and
 * that the budget counted as healthy, and the most pods.
 */
export async function sampleWhile<T>(
  namespace: string,
  deployment: string,
  action: () => Promise<T>,
): Promise<{ result: T; fewest: number; fewestHealthy: number; mostPods: number }> {
  let isDone = false;
  let fewest = Number.POSITIVE_INFINITY;
  let fewestHealthy = Number.POSITIVE_INFINITY;
  let mostPods = 0;
  const selector = `app.kubernetes.io/component=${deployment}`;
  const sampling = (async () => {
    while (!isDone) {
      const [object] = await listObjects(namespace, 'deployment', selector);
      const [budget] = await listObjects(namespace, 'poddisruptionbudget', selector);
      fewestHealthy = Math.min(fewestHealthy, budget?.status.currentHealthy ?? 0);
      fewest = Math.min(fewest, object?.status.availableReplicas ?? 0);
      mostPods = Math.max(mostPods, object?.status.replicas ?? 0);
      await delay(300);
    }
  })();
  try {
    const result = await action();
    return { result, fewest, fewestHealthy, mostPods };
  } finally {
    isDone = true;
    await sampling;
  }
}
