import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import process from 'node:process';

/** Returns the version of the whole service, from its package.json. */
export function readServiceVersion(): string {
  const packageFile = new URL('../../../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string }).version;
}

/** Returns what a process calls itself in its state. `name` is its host (on Kubernetes its pod) and process id. */
export function identifyProcess(startedAtMs: number) {
  return { id: crypto.randomUUID(), name: `${hostname()}/${process.pid}`, version: readServiceVersion(), startedAtMs };
}
