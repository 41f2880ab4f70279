/**
 * Adds the optional, platform-bound packages that npm left out of package-lock.json.
 *
 * npm 11 and later refuse `npm ci` when the lockfile lacks the optional dependencies of other platforms, and a
 * lockfile made where those packages could not be looked up does lack them. Run after every `npm install`:
 * `node scripts/complete-lockfile.ts`. It changes nothing when nothing is missing.
 */
import { readFileSync, writeFileSync } from 'node:fs';

interface LockEntry {
  version?: string;
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

/** The platform a package is bound to, read from its name: `@turbo/darwin-arm64` is macOS on arm64. */
function platformOf(name: string): Pick<LockEntry, 'os' | 'cpu' | 'libc'> {
  const words = (name.split('/').at(-1) ?? name).split('-');
  const os = words.find((word) => /^(android|darwin|freebsd|linux|openharmony|win32|windows)$/.test(word));
  const cpu = words.find((word) => cpus.has(word));
  if (os === undefined || cpu === undefined) throw new Error(`cannot tell the platform of ${name}`);
  const libc = words.at(-1) === 'musl' ? ['musl'] : words.at(-1) === 'gnu' ? ['glibc'] : undefined;
  return { os: [osNames[os] ?? os], cpu: [cpuNames[cpu] ?? cpu], ...(libc ? { libc } : {}) };
}

/** Whether a package at `path` finds `name` as Node would: in its own node_modules or in one further up. */
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
    lock.packages[`node_modules/${name}`] = { version, ...platformOf(name), optional: true };
    added += 1;
  }
}
if (added > 0) {
  const sorted = Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1));
  lock.packages = Object.fromEntries(sorted);
  writeFileSync(lockfile, `${JSON.stringify(lock, null, 2)}\n`);
}
console.log(`package-lock.json: ${added} optional packages added`);
