import { afterAll, describe, expect, test } from 'vitest';
import { eventually } from '../drivers/tools/eventually.ts';
import { applyObjects, findReasonToSkip, listObjects, runCommand } from './kubectl.ts';
import { makeOperatorCopy } from './operator-copy.ts';

const run = Date.now().toString(36);

/** A patch of the Job or of both Deployments, in YAML. */
const patchOf = (kind: 'Job' | 'Deployment', ...operations: readonly string[]) =>
  `{ target: { kind: ${kind} }, patch: "${operations.map((operation) => `- ${operation}`).join('\\n')}" }`;
const podSpec = '/spec/template/spec';

describe.skipIf(findReasonToSkip() !== null)('deploy.sh on a control plane with simulated nodes', () => {
  const copy = makeOperatorCopy();
  const namespaces: string[] = [];

  /** Deploys with these patches, and returns what it printed until it gave up. */
  async function failToDeploy(name: string, patches: readonly string[]): Promise<string> {
    const namespace = `widget-${name}-${run}`;
    namespaces.push(namespace);
    const overlay = copy.makeOverlay({ overlay: 'production', namespace, patches });
    const deploying = runCommand(copy.script, [overlay], { MIGRATION_TIMEOUT: '30s' });
    return deploying.then(
      () => expect.unreachable('deploy.sh succeeded'),
      (error: Error) => error.message,
    );
  }

  afterAll(async () => {
    for (const namespace of namespaces)
      await runCommand('kubectl', ['delete', 'namespace', namespace, '--ignore-not-found', '--wait=false']);
    copy.remove();
  });

  test('names what the pods need and nobody has created, before it changes anything', async () => {
    const output = await failToDeploy('needs', [
      patchOf(
        'Job',
        `{ op: add, path: ${podSpec}/volumes/-, value: { name: more, secret: { secretName: absent-secret } } }`,
        `{ op: add, path: ${podSpec}/containers/0/envFrom/-, value: { configMapRef: { name: absent-settings } } }`,
      ),
      patchOf(
        'Deployment',
        `{ op: replace, path: ${podSpec}/priorityClassName, value: absent-class }`,
        `{ op: add, path: ${podSpec}/imagePullSecrets, value: [{ name: absent-login }] }`,
      ),
    ]);
    for (const need of [
      'secret absent-secret',
      'secret absent-login',
      'configmap absent-settings',
      'priorityclass absent-class',
    ])
      expect(output).toContain(`${need} is missing`);
    expect(output.match(/ is missing/g)).toHaveLength(4);
    expect((await listObjects('', 'namespace')).map(({ metadata }) => metadata.name)).not.toContain(namespaces.at(-1));
  });

  test('says that an admission rule would refuse the pods, and starts no migration', async () => {
    const output = await failToDeploy('admission', [
      patchOf('Deployment', `{ op: add, path: ${podSpec}/hostNetwork, value: true }`),
    ]);
    expect(output).toMatch(/the pods of the worker would be refused.*violates PodSecurity.*host namespaces/s);
    expect(await listObjects(namespaces.at(-1)!, 'job')).toEqual([]);
  });

  test('says that a quota would refuse the pods, and starts no migration', async () => {
    const namespace = `widget-quota-${run}`;
    await applyObjects([
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
      {
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'small', namespace },
        spec: { hard: { pods: '0' } },
      },
    ]);
    const hasStatus = async () => (await listObjects(namespace, 'resourcequota'))[0]?.status.hard !== undefined;
    await eventually(hasStatus, 'the quota counts');
    expect(await failToDeploy('quota', [])).toMatch(/would be refused.*exceeded quota: small/s);
    expect(await listObjects(namespace, 'job')).toEqual([]);
  });

  test('prints the warnings about the pods that it waits for, each once', { timeout: 90_000 }, async () => {
    const namespace = `widget-warnings-${run}`;
    const failing = failToDeploy('warnings', [
      patchOf('Job', `{ op: add, path: ${podSpec}/nodeSelector, value: { disk: absent } }`),
    ]);
    const findPod = async () => (await listObjects(namespace, 'pod').catch(() => []))[0];
    await eventually(async () => (await findPod()) !== undefined, 'the pod of the migration', 60_000);
    const { name } = (await findPod())!.metadata;
    // No kubelet runs here, so the test writes what one would report.
    const at = new Date().toISOString().replace(/\.\d+/, '');
    const reported = { apiVersion: 'v1', kind: 'Event', type: 'Warning', reason: 'FailedMount', lastTimestamp: at };
    const message = 'MountVolume.SetUp failed for volume "stores" : secret "widget-stores" not found';
    const involvedObject = { kind: 'Pod', name, namespace, apiVersion: 'v1' };
    const events = ['one', 'two'].map((id) => ({
      ...reported,
      message,
      involvedObject,
      metadata: { name: id, namespace },
    }));
    await applyObjects(events);
    const output = await failing;
    expect(output).toMatch(/deploy: \S+ FailedScheduling: .*nodes are available/);
    expect(output.match(/FailedMount: .*secret "widget-stores" not found/g)).toHaveLength(1);
    expect(output).toContain('the migration did not succeed');
  });
});
