import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../', import.meta.url));

/** The package as a user gets it: packed, and installed into an empty folder with its dependencies. */
export interface InstalledClientPackage extends AsyncDisposable {
  readonly folder: string;
  /** The files of the package, as paths inside it. */
  readonly files: readonly string[];
}

/** Builds, packs and installs `@widget-service/client`. Needs the package registry, for its two dependencies. */
export async function installClientPackage(): Promise<InstalledClientPackage> {
  const folder = await mkdtemp(join(tmpdir(), 'widget-client-'));
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  const files = await installPackage('scripts/build-client.ts', 'packages/client/dist', folder);
  return { folder, files, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

/** Builds a package, packs it and installs it into a folder. Returns its files, as paths inside it. */
export async function installPackage(build: string, dist: string, folder: string): Promise<string[]> {
  await run(process.execPath, [build], { cwd: root });
  const packed = await run('npm', ['pack', '--json', '--pack-destination', folder, join(root, dist)], { cwd: folder });
  // npm 11 prints a list of packages, npm 12 an object of them by name.
  const [details] = Object.values(JSON.parse(packed.stdout) as Record<string, PackedPackage>);
  if (details === undefined) throw new Error(`npm pack printed ${packed.stdout}`);
  const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefix', folder];
  await run('npm', ['install', ...options, join(folder, details.filename)], { cwd: folder });
  return details.files.map(({ path }) => path);
}

interface PackedPackage {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

/** A program in the readme of the package. */
export interface Recipe {
  /** The heading above it. */
  readonly title: string;
  readonly code: string;
}

/** Returns the programs of the readme that are marked as recipes: each runs as it stands. */
export async function readRecipes(): Promise<Recipe[]> {
  const readme = await readFile(join(root, 'packages/client/README.md'), 'utf8');
  return readme.split(/^## /m).flatMap((section) => {
    const [title = ''] = section.split('\n');
    return [...section.matchAll(/^```js recipe\n([\s\S]*?)^```/gm)].map(([, code = '']) => ({ title, code }));
  });
}

/** The versions of Node to try: the one of this repository, and the one that is installed on the machine. */
export async function findNodes(): Promise<{ readonly version: string; readonly path: string }[]> {
  const paths = new Set([process.execPath, '/usr/bin/node', '/usr/local/bin/node']);
  const found = await Promise.all(
    [...paths].map(async (path) => {
      const output = await run(path, ['--version']).catch(() => null);
      return output === null ? [] : [{ version: output.stdout.trim(), path }];
    }),
  );
  const nodes = found.flat();
  return nodes.filter(({ version }, index) => nodes.findIndex((other) => other.version === version) === index);
}
