/**
 * Writes the Grafana dashboards of deploy/grafana. Run it after every change in scripts/dashboards. With `--check` it
 * writes nothing, and exits with 1 if a file is not up to date.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { backendsDashboard } from './dashboards/backends.ts';
import { type Dashboard, toGrafana } from './dashboards/grafana.ts';
import { hooksDashboard } from './dashboards/hooks.ts';
import { serviceDashboard } from './dashboards/service.ts';
import { streamsDashboard } from './dashboards/streams.ts';

const dashboards: Readonly<Record<string, Dashboard>> = {
  service: serviceDashboard,
  streams: streamsDashboard,
  hooks: hooksDashboard,
  backends: backendsDashboard,
};

const isCheck = process.argv.includes('--check');
for (const [name, dashboard] of Object.entries(dashboards)) {
  const file = new URL(`../deploy/grafana/${name}.json`, import.meta.url);
  const text = `${JSON.stringify(toGrafana(dashboard))}\n`;
  if (!isCheck) writeFileSync(file, text);
  else if (readFileSync(file, 'utf8') !== text) {
    console.error(`deploy/grafana/${name}.json is not up to date: run node scripts/write-dashboards.ts`);
    process.exitCode = 1;
  }
}
