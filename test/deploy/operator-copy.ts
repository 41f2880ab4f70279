import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { manifestFolder } from './read-manifests.ts';

export interface OverlayOptions {
  readonly overlay: 'local' | 'production';
  readonly namespace: string;
  /** Further patches, as entries of `patches:` in YAML. */
  readonly patches?: readonly string[];
}

/** A copy of `deploy/k8s` that a test edits as an operator would. */
export function makeOperatorCopy() {
  const folder = mkdtempSync(join(tmpdir(), 'widget-manifests-'));
  cpSync(manifestFolder, join(folder, 'k8s'), { recursive: true });
  for (const name of ['stores', 'first-admin']) {
    const file = join(folder, 'k8s/components/secrets', `${name}.env`);
    cpSync(`${file}.example`, file);
  }
  // As an operator changes the lines marked with CHANGE.
  const production = join(folder, 'k8s/overlays/production/kustomization.yaml');
  writeFileSync(production, readFileSync(production, 'utf8').replaceAll('192.0.2.1/32', '10.9.8.7/32'));
  let count = 0;
  return {
    script: join(folder, 'k8s/deploy.sh'),
    /** Replaces a text in a file of the copy. Throws if the file does not contain it. */
    edit(file: string, before: string, after: string): void {
      const path = join(folder, 'k8s', file);
      const text = readFileSync(path, 'utf8');
      if (!text.includes(before)) throw new Error(`${file} does not contain ${before}`);
      writeFileSync(path, text.replace(before, after));
    },
    /**
     * Returns the folder of an overlay for a namespace of the test. Pods count as available after 1 s instead of 10 s,
     * to save time.
     */
    makeOverlay({ overlay, namespace, patches = [] }: OverlayOptions): string {
      count += 1;
      const target = join(folder, `overlay-${count}`);
      mkdirSync(target);
      const faster = `{ target: { kind: Deployment }, patch: "- { op: replace, path: /spec/minReadySeconds, value: 1 }" }`;
      const entries = [faster, ...patches].map((entry) => `  - ${entry}\n`).join('');
      const label = `labels:\n  - { pairs: { test-run: ${namespace} }, includeTemplates: true }\n`;
      const text = `namespace: ${namespace}\nresources: [../k8s/overlays/${overlay}]\n${label}patches:\n${entries}`;
      writeFileSync(join(target, 'kustomization.yaml'), text);
      return target;
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}
