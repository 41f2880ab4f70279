/**
 * Writes the table of docs/metrics.md. Run it after every change of a metric.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { formatMetricsTable } from '../packages/shared/src/metrics/format-metrics.ts';

const page = new URL('../docs/metrics.md', import.meta.url);
const [introduction] = readFileSync(page, 'utf8').split('| name |');
writeFileSync(page, `${introduction}${await formatMetricsTable()}\n`);
