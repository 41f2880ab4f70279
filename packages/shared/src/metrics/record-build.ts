import { readFileSync } from 'node:fs';
import process from 'node:process';
import type { Backend } from '../ports/backend.ts';
import type { Metrics } from './metrics.ts';

/** Sets `widget_build_info`. The version is that of the whole service, from its package.json. */
export function recordBuild({ buildInfo }: Pick<Metrics, 'buildInfo'>, backend: Backend['kind']): void {
  const packageFile = new URL('../../../../package.json', import.meta.url);
  const { version } = JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string };
  buildInfo.set({ version, node: process.versions.node, backend }, 1);
}
