import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './build-context.ts';

export interface LockEntry {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly link?: true;
  readonly hasInstallScript?: true;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** Returns the entries of package-lock.json by their path, without the workspaces and the links to them. */
export function readLockedPackages(): Map<string, LockEntry> {
  const isPackage = ([path, { link }]: [string, LockEntry]) => path.includes('node_modules/') && link !== true;
  return new Map(readEntries().filter(isPackage));
}

/** Returns the packages that the image contains, on any platform, by their path in the lockfile. */
export function readProductionPackages(): Map<string, LockEntry> {
  const entries = new Map(readEntries());
  const found = new Map<string, LockEntry>();
  const visited = new Set<string>();
  const visit = (path: string): void => {
    if (visited.has(path)) return;
    visited.add(path);
    const entry = entries.get(path);
    if (entry === undefined) throw new Error(`package-lock.json has no entry ${path}`);
    if (entry.link === true) {
      visit(entry.resolved ?? '');
      return;
    }
    if (path.includes('node_modules/')) found.set(path, entry);
    for (const name of Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })) {
      visit(resolve(entries, path, name));
    }
  };
  visit('apps/api');
  visit('apps/worker');
  return found;
}

function readEntries(): [string, LockEntry][] {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockEntry>;
  };
  return Object.entries(lock.packages);
}

/** Finds a dependency as Node does: in `node_modules` of the package itself, or of a folder above it. */
function resolve(entries: ReadonlyMap<string, LockEntry>, from: string, name: string): string {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
    const path = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (entries.has(path)) return path;
    if (folder === '') throw new Error(`package-lock.json has no ${name} for ${from}`);
  }
}
