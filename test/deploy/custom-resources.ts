import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { runCommand } from './kubectl.ts';

/** Where the definitions of the custom resources come from: the Go modules of the projects that define them. */
const definitions = [
  {
    component: 'gateway',
    module: 'sigs.k8s.io/gateway-api@v1.4.0',
    file: 'config/crd/standard/gateway.networking.k8s.io_httproutes.yaml',
  },
  {
    component: 'pod-monitor',
    module: 'github.com/prometheus-operator/prometheus-operator@v0.85.0',
    file: 'example/prometheus-operator-crd/monitoring.coreos.com_podmonitors.yaml',
  },
  {
    component: 'keda',
    module: 'github.com/kedacore/keda/v2@v2.18.0',
    file: 'config/crd/bases/keda.sh_scaledobjects.yaml',
  },
] as const;

/**
 * Applies the definitions of the custom resources to the cluster. Returns the components that it can now admit. Without
 * Go, or without the modules, it leaves components out.
 */
export async function applyCustomResourceDefinitions(): Promise<string[]> {
  const admitted: string[] = [];
  for (const { component, module, file } of definitions) {
    const options = { encoding: 'utf8', timeout: 60_000, env: { ...process.env, GOFLAGS: '-mod=mod' } } as const;
    const { status, stdout } = spawnSync('go', ['mod', 'download', '-json', module], options);
    if (status !== 0) continue;
    const { Dir } = JSON.parse(stdout) as { Dir: string };
    await runCommand('kubectl', ['apply', '--server-side', '--force-conflicts', '--filename', join(Dir, file)]);
    admitted.push(component);
  }
  if (admitted.length > 0) {
    await runCommand('kubectl', ['wait', 'customresourcedefinition', '--all', '--for=condition=Established']);
  }
  return admitted;
}
