import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';

/** The root of the repository. */
export const root = fileURLToPath(new URL('../../', import.meta.url));

/** The part of a Kubernetes object, or of a kustomization, that the tests read. */
export interface Manifest {
  /** Relative to `deploy/k8s`. */
  readonly file: string;
  readonly kind: string;
  readonly metadata?: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  // biome-ignore lint/suspicious/noExplicitAny: each kind has its own fields, and a test reads a few of them.
  readonly [field: string]: any;
}

export const manifestFolder = join(root, 'deploy/k8s');

function listManifestFiles(extension: string): string[] {
  return readdirSync(manifestFolder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith(extension));
}

/** Reads every YAML document of `deploy/k8s`. */
export function readManifests(): Manifest[] {
  return listManifestFiles('.yaml').flatMap((file) =>
    parseAllDocuments(readFileSync(join(manifestFolder, file), 'utf8')).map((document) => {
      if (document.errors.length > 0) throw new Error(`${file}: ${document.errors.join('; ')}`);
      return { file, ...document.toJS() } as Manifest;
    }),
  );
}

/** Throws an `Error` unless there is exactly one. */
export function findManifest(manifests: readonly Manifest[], kind: string, name: string): Manifest {
  const [found, ...others] = manifests.filter(({ kind: own, metadata }) => own === kind && metadata?.name === name);
  if (found === undefined || others.length > 0) throw new Error(`${kind} ${name}: not exactly one`);
  return found;
}

/** Returns the variables that the manifests set for the service, with their values and the file that names them. */
export function readVariables(manifests: readonly Manifest[]): { file: string; name: string; value: string }[] {
  const toVariable = (file: string, line: string) => {
    const index = line.indexOf('=');
    return { file, name: line.slice(0, index), value: line.slice(index + 1) };
  };
  const inGenerators = manifests.flatMap(({ file, configMapGenerator = [], secretGenerator = [] }) =>
    [...configMapGenerator, ...secretGenerator].flatMap(({ envs = [], literals = [] }) => [
      // The files of Secrets are not in the repository, but an example of each is.
      ...envs.flatMap((env: string) => readEnvFile(join(dirname(file), env), toVariable)),
      ...literals.map((line: string) => toVariable(file, line)),
    ]),
  );
  const inContainers = manifests.flatMap(({ file, spec }) =>
    ownContainers(spec).flatMap(({ env = [] }) =>
      env.map(({ name, value = '' }: { name: string; value?: string }) => ({ file, name, value })),
    ),
  );
  return [...inGenerators, ...inContainers];
}

function readEnvFile<T>(file: string, toVariable: (file: string, line: string) => T): T[] {
  const example = `${file}.example`;
  const path = listManifestFiles('.example').includes(example) ? example : file;
  return readFileSync(join(manifestFolder, path), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => toVariable(path, line));
}

/** Without those of the stores. */
function ownContainers(spec: Manifest['spec']) {
  return listContainers(spec).filter(({ image }) => image === 'widget-service');
}

/** Returns the containers of a Deployment, StatefulSet or Job. Other kinds have none. */
// biome-ignore lint/suspicious/noExplicitAny: as in `Manifest`.
export function listContainers(spec: any): any[] {
  const podSpec = spec?.template?.spec;
  return [...(podSpec?.initContainers ?? []), ...(podSpec?.containers ?? [])];
}
