import { spawnSync } from 'node:child_process';
import { basename, dirname } from 'node:path';
import { settingsTable } from '@widget-service/shared/config/settings.ts';
import { describe, expect, test } from 'vitest';
import { makeOperatorCopy } from './operator-copy.ts';
import { findManifest, listContainers, type Manifest, readManifests, readVariables } from './read-manifests.ts';

const manifests = readManifests();

const api = findManifest(manifests, 'Deployment', 'widget-api');
const worker = findManifest(manifests, 'Deployment', 'widget-worker');
const migration = findManifest(manifests, 'Job', 'widget-migration');

describe('secrets', () => {
  /** The settings that a pod reads from mounted files, by the variables that name these files. */
  function listSecretFiles({ spec }: Manifest): string[] {
    const [container] = listContainers(spec);
    const { volumes } = spec.template.spec;
    const files = (container.env ?? []).filter(({ name }: { name: string }) => name.endsWith('_FILE'));
    for (const { name, value } of files) {
      const mount = container.volumeMounts.find(({ mountPath }: { mountPath: string }) => value.startsWith(mountPath));
      expect(mount.readOnly).toBe(true);
      const { secret } = volumes.find((volume: { name: string }) => volume.name === mount.name);
      expect(secret.secretName).toBe(name === 'ADMIN_PASSWORD_FILE' ? 'widget-first-admin' : 'widget-stores');
      // Owner root, group `fsGroup`: the process can read it and nothing else in the pod can write it.
      expect(secret.defaultMode).toBe(440);
      expect(spec.template.spec.securityContext.fsGroup).toBe(1000);
      if (secret.items !== undefined) {
        expect(secret.items.map(({ path }: { path: string }) => path)).toContain(basename(value));
      }
      expect(`${basename(value)}_FILE`).toBe(name);
      expect(settingsTable).toHaveProperty(basename(value), expect.objectContaining({ isSecret: true }));
    }
    return files.map(({ name }: { name: string }) => name);
  }

  test('of the stores are files: for the migration that of MongoDB only', () => {
    expect(listSecretFiles(api)).toEqual(['MONGODB_URL_FILE', 'REDIS_URL_FILE', 'ADMIN_PASSWORD_FILE']);
    expect(listSecretFiles(worker)).toEqual(['MONGODB_URL_FILE', 'REDIS_URL_FILE']);
    expect(listSecretFiles(migration)).toEqual(['MONGODB_URL_FILE']);
    const [{ secret }] = migration.spec.template.spec.volumes;
    expect(secret.items).toEqual([{ key: 'MONGODB_URL', path: 'MONGODB_URL' }]);
  });

  test('protect the stores of the local overlay, too', () => {
    for (const name of ['mongodb', 'redis']) {
      const { spec } = findManifest(manifests, 'StatefulSet', name);
      const { secret } = spec.template.spec.volumes.find((volume: { name: string }) => volume.name === 'password');
      expect(secret).toMatchObject({ secretName: 'widget-stores', items: [{ key: 'PASSWORD', path: 'PASSWORD' }] });
      expect(JSON.stringify(listContainers(spec))).toMatch(/requirepass|MONGO_INITDB_ROOT_PASSWORD_FILE/);
    }
  });

  test('are in no environment', () => {
    for (const { spec } of [api, worker, migration]) {
      const [{ envFrom, env }] = listContainers(spec);
      expect(envFrom).toEqual([{ configMapRef: { name: 'widget-settings' } }]);
      const fromSecrets = env.filter(({ valueFrom }: { valueFrom?: object }) => valueFrom !== undefined);
      expect(fromSecrets.map(({ name }: { name: string }) => name)).toEqual(spec === api.spec ? ['ADMIN_EMAIL'] : []);
    }
    const inStores = readVariables(manifests).filter(({ file }) => file.includes('stores.env'));
    expect(inStores.map(({ name }) => name).sort()).toEqual(['MONGODB_URL', 'REDIS_URL']);
  });
});

describe('network policies', () => {
  const policies = manifests.filter(({ kind }) => kind === 'NetworkPolicy');
  const labelsOf = ({ spec }: Manifest): Record<string, string> => spec.template.metadata.labels;

  function selects({ spec }: Manifest, labels: Record<string, string>): boolean {
    const { matchLabels = {}, matchExpressions = [] } = spec.podSelector;
    return (
      Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
      matchExpressions.every(
        ({ key, operator, values }: { key: string; operator: string; values: string[] }) =>
          operator === 'In' && values.includes(labels[key] ?? ''),
      )
    );
  }

  /** The ports that a pod may be reached on, or may reach, by all policies that select it. */
  function listPorts(pod: Manifest, direction: 'ingress' | 'egress'): (string | number)[] {
    const rules = policies
      .filter((policy) => selects(policy, labelsOf(pod)))
      .flatMap(({ spec }) => spec[direction] ?? []);
    const ports = rules.flatMap(({ ports = ['any port'] }) =>
      ports.map((entry: { port: number } | string) => (typeof entry === 'string' ? entry : entry.port)),
    );
    return [...new Set<string | number>(ports)].sort();
  }

  test('deny everything by default', () => {
    const denial = policies.find(({ spec }) => Object.keys(spec.podSelector).length === 0);
    expect(denial?.spec).toEqual({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
  });

  test('let each process reach only the stores that it uses, and DNS', () => {
    expect(listPorts(api, 'egress')).toEqual([27017, 53, 6379]);
    expect(listPorts(worker, 'egress')).toEqual([27017, 53, 6379]);
    expect(listPorts(migration, 'egress')).toEqual([27017, 53]);
    const toDns = policies.flatMap(({ spec }) => spec.egress ?? []).filter(({ ports }) => ports[0].port === 53);
    expect(toDns.map(({ to }) => to)).toEqual([
      [
        {
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } },
          podSelector: { matchLabels: { 'k8s-app': 'kube-dns' } },
        },
      ],
    ]);
  });

  test('let no process reach any address on the port of a store: the overlay names those of the stores', () => {
    for (const { spec } of policies) for (const rule of spec.egress ?? []) expect(rule.to).not.toBeUndefined();
    const overlay = manifests.find(({ file }) => file === 'overlays/production/kustomization.yaml');
    const patched = overlay?.patches.map(({ target }: { target: { name: string } }) => target.name);
    expect(patched).toEqual(['to-mongodb', 'to-redis']);
  });

  test('let the gateway reach the public port, Prometheus the operators’ port, and nobody anything else', () => {
    expect(listPorts(api, 'ingress')).toEqual(['http', 'ops']);
    expect(listPorts(worker, 'ingress')).toEqual(['ops']);
    expect(listPorts(migration, 'ingress')).toEqual([]);
    const admitted = policies.flatMap(({ spec }) => spec.ingress ?? []);
    const toPublic = admitted.filter(({ ports }) => ports[0].port === 'http');
    expect(toPublic.map(({ from }) => from)).toEqual([
      [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'gateway-system' } } }],
    ]);
    const toOps = admitted.filter(({ ports }) => ports[0].port === 'ops');
    expect(toOps).toHaveLength(1);
    expect(toOps[0].from).toEqual([
      {
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } },
        podSelector: { matchLabels: { 'app.kubernetes.io/name': 'prometheus' } },
      },
    ]);
  });

  test('have to be filled in: deploy.sh stops while an address of the example is left', ({ skip }) => {
    if (spawnSync('kubectl', ['version', '--client']).status !== 0) skip('kubectl is not installed');
    const copy = makeOperatorCopy();
    copy.edit('overlays/production/kustomization.yaml', '10.9.8.7/32', '192.0.2.1/32');
    const { status, stderr } = spawnSync(copy.script, ['overlays/production'], {
      cwd: dirname(copy.script),
      encoding: 'utf8',
    });
    copy.remove();
    expect(stderr).toContain('change the lines marked with CHANGE');
    expect(status).toBe(78);
  });

  test('are part of the production overlay', () => {
    const overlay = manifests.find(({ file }) => file === 'overlays/production/kustomization.yaml');
    expect(overlay?.components).toContain('../../components/network-policies');
  });
});
