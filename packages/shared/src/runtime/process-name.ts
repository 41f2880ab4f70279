import { hostname } from 'node:os';
import process from 'node:process';

/** Returns what operators call this process: its host name (on Kubernetes the name of the pod) and process id. */
export function getProcessName(): string {
  return `${hostname()}/${process.pid}`;
}
