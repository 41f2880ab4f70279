import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { formatMetricsTable } from './metrics.ts';

test('docs/metrics.md matches the metrics; if not, run: node scripts/write-metrics-docs.ts', async () => {
  const page = readFileSync(new URL('../../../../docs/metrics.md', import.meta.url), 'utf8');
  expect(page).toContain(await formatMetricsTable());
});
