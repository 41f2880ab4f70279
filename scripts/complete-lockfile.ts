/**
 * Adds optional packages of other platforms that are missing in package-lock.json, and the hash of each package that
 * lacks one, with its licence. Both come from the registry.
 *
 * npm 11 and later reject `npm ci` if the lockfile lacks them. npm omits them if it cannot read them from the registry
 * at `npm install`. Run after every `npm install`: `node scripts/complete-lockfile.ts`. It changes nothing if no
 * package and no hash is missing.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

interface LockEntry {
  version?: string;
  link?: true;
  integrity?: string;
  license?: string;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optional?: boolean;
  optionalDependencies?: Record<string, string>;
}

const lockfile = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(lockfile, 'utf8')) as { packages: Record<string, LockEntry> };

const osNames: Record<string, string> = { windows: 'win32', wasm32: 'wasi' };
const cpuNames: Record<string, string> = { '64': 'x64' };
const cpus = new Set(['x64', 'arm64', 'arm', 'ia32', 'ppc64', 'riscv64', 's390x', '64']);

/** Derives a package's platform from its name: `@turbo/darwin-arm64` is for macOS on arm64. */
function parsePlatform(name: string): Pick<LockEntry, 'os' | 'cpu' | 'libc'> {
  const words = (name.split('/').at(-1) ?? name).split('-');
  const os = words.find((word) => /^(android|darwin|freebsd|linux|openharmony|win32|windows)$/.test(word));
  const cpu = words.find((word) => cpus.has(word));
  if (os === undefined || cpu === undefined)
    throw new Error(`The name ${name} contains no known operating system and CPU: add them to this script.`);
  const libc = words.at(-1) === 'musl' ? ['musl'] : words.at(-1) === 'gnu' ? ['glibc'] : undefined;
  return { os: [osNames[os] ?? os], cpu: [cpuNames[cpu] ?? cpu], ...(libc ? { libc } : {}) };
}

/** Returns whether a package at `path` resolves `name` as Node does: in its own node_modules or in one above it. */
function isResolvable(path: string, name: string): boolean {
  for (let folder = path; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    if (lock.packages[`${folder === '' ? '' : `${folder}/`}node_modules/${name}`]) return true;
    if (folder === '') return false;
    if (!folder.includes('/node_modules/')) return lock.packages[`node_modules/${name}`] !== undefined;
  }
}

let added = 0;
for (const [path, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    if (isResolvable(path, name)) continue;
    lock.packages[`node_modules/${name}`] = { version, ...parsePlatform(name), optional: true };
    added += 1;
  }
}

/** Returns the members that an entry lacks. Throws if the registry does not have the package. */
function readFromRegistry(name: string, version: string): Pick<LockEntry, 'integrity' | 'license'> {
  const args = ['view', `${name}@${version}`, 'dist.integrity', 'license', '--json'];
  const answer = JSON.parse(execFileSync('npm', args, { encoding: 'utf8' }));
  return { integrity: answer['dist.integrity'], license: answer.license };
}

let completed = 0;
for (const [path, entry] of Object.entries(lock.packages)) {
  const [name, ...parents] = path.split('node_modules/').reverse();
  if (name === undefined || parents.length === 0 || entry.link === true || entry.integrity !== undefined) continue;
  Object.assign(entry, readFromRegistry(name, entry.version ?? ''));
  completed += 1;
}

if (added + completed > 0) {
  const sorted = Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1));
  lock.packages = Object.fromEntries(sorted);
  writeFileSync(lockfile, `${JSON.stringify(lock, null, 2)}\n`);
}
console.log(`package-lock.json: ${added} optional packages added, ${completed} hashes added`);
