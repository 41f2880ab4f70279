import process from 'node:process';
import type { Backend } from '../ports/backend.ts';
import { readServiceVersion } from '../runtime/service-version.ts';
import type { Metrics } from './metrics.ts';

/** Sets `widget_build_info`. */
export function recordBuild({ buildInfo }: Pick<Metrics, 'buildInfo'>, backend: Backend['kind']): void {
  buildInfo.set({ version: readServiceVersion(), node: process.versions.node, backend }, 1);
}
