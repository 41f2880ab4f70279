import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import process from 'node:process';

/** Returns the version of the whole service, from its package.json. */
export function readServiceVersion(): string {
  const packageFile = new URL('../../../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string }).version;
}

/** Returns what operators call this process: its host name (on Kubernetes the name of the pod) and process id. */
export function getProcessName(): string {
  return `${hostname()}/${process.pid}`;
}
