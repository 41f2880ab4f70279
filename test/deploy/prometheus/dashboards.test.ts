import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { dashboardNames, loadDashboard, type PanelFile } from './rule-files.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

test('the dashboards match their definitions; if not, run: node scripts/write-dashboards.ts', () => {
  const result = spawnSync(process.execPath, ['scripts/write-dashboards.ts', '--check'], {
    cwd: root,
    encoding: 'utf8',
  });
  expect(result).toMatchObject({ status: 0, stderr: '' });
});

function overlap({ gridPos: a }: PanelFile, { gridPos: b }: PanelFile): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

describe.each(dashboardNames)('the dashboard %s', (name) => {
  const dashboard = loadDashboard(name);
  const { panels } = dashboard;
  const withQueries = panels.filter(({ type }) => type !== 'row');

  test('has ids, a data source variable, and panels that do not overlap', () => {
    expect(dashboard.uid).toMatch(/^widget-service(-\w+)?$/);
    expect(dashboard.schemaVersion).toBe(39);
    expect(dashboard.templating.list.map(({ name: variable, type }) => `${variable}: ${type}`)).toEqual([
      'datasource: datasource',
      'namespace: query',
    ]);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    for (const [index, panel] of panels.entries()) {
      expect(panel.gridPos.x + panel.gridPos.w).toBeLessThanOrEqual(24);
      for (const other of panels.slice(index + 1))
        expect(overlap(panel, other), `${panel.title}, ${other.title}`).toBe(false);
    }
  });

  test.each(withQueries)(
    '$title has a description, a unit, thresholds that rise, and queries for the namespace',
    (panel) => {
      expect(panel.description).toMatch(/^\S.*\.$/);
      expect(panel.datasource?.uid).toBe('$datasource');
      expect(panel.fieldConfig?.defaults.unit).toBeTruthy();
      const steps = panel.fieldConfig?.defaults.thresholds.steps ?? [];
      const [first, ...rest] = steps.map(({ value }) => value);
      expect(first).toBeNull();
      expect(rest).toEqual(rest.toSorted((a, b) => Number(a) - Number(b)));
      const targets = panel.targets ?? [];
      expect(new Set(targets.map(({ refId }) => refId)).size).toBe(targets.length);
      expect(targets.length).toBeGreaterThan(0);
      for (const { expr } of targets) {
        expect(expr).not.toContain('{NS');
        if (!expr.includes('ALERTS')) expect(expr).toContain('{namespace=~"$namespace"');
      }
    },
  );
});
