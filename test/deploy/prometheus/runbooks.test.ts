import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { settingsTable } from '@widget-service/shared/config/settings.ts';
import { describe, expect, test } from 'vitest';
import { findPrometheusTool, runPromtool } from '../../drivers/cluster/prometheus-tools.ts';
import { listKnownSeries } from './healthy-series.ts';
import { findSelectors, loadAlerts } from './rule-files.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const folder = new URL('../../../docs/runbooks/', import.meta.url);
const read = (file: string) => readFileSync(new URL(file, folder), 'utf8');
const files = readdirSync(folder).filter((file) => file !== 'README.md');
/** The one that no alert leads to. */
const withoutAlert = 'token-leaked.md';
const alerts = loadAlerts();
const promtool = findPrometheusTool('promtool');

/** Returns the file of an alert's runbook: `WidgetHooksWait` has `hooks-wait.md`. */
const toRunbook = (alert: string) =>
  `${alert
    .replace(/^Widget/, '')
    .replaceAll(/(?<!^)[A-Z]/g, (letter) => `-${letter}`)
    .toLowerCase()}.md`;

/** The queries of a page: the lines of its blocks in PromQL. */
const listQueries = (page: string) =>
  Array.from(page.matchAll(/```promql\n([\s\S]*?)```/g), ([, block = '']) => block.trim().split('\n')).flat();

describe('runbooks', () => {
  test('exist for each alert, and for nothing else', () => {
    const expected = new Set([withoutAlert, ...alerts.map(({ alert }) => toRunbook(alert))]);
    expect(files.toSorted()).toEqual([...expected].toSorted());
    for (const { alert, annotations } of alerts)
      expect(annotations?.runbook_url).toBe(`docs/runbooks/${toRunbook(alert)}`);
  });

  test.each(alerts)('the one of $alert has its parts, and is in the index', ({ alert }) => {
    const page = read(toRunbook(alert));
    expect(page).toMatch(new RegExp(`^# ${alert}\n`));
    expect(page.match(/^## .*$/gm)).toEqual(['## What it means', '## Confirm', '## Mend', '## Over']);
    expect(read('README.md')).toContain(`[${alert}](${toRunbook(alert)})`);
  });

  test.each(files)('%s names only metrics, log lines, settings and files that exist', async (file) => {
    const page = read(file);
    const known = await listKnownSeries();
    for (const query of listQueries(page)) {
      for (const { metric } of findSelectors(query)) expect(known.has(metric), metric).toBe(true);
    }
    const logLines = Array.from(
      page.matchAll(
        /`((?:audit|batch|connections|delivery|queue|stores|tail|control|outboxes|task|stream|entitlements)\.[a-z_-]+)`/g,
      ),
    );
    for (const [, line = ''] of logLines.filter(([, line]) => !['stream.gap', 'stream.closing'].includes(line ?? ''))) {
      // `batch.` is followed by the outcome of the run.
      const text = line.startsWith('batch.') ? `'${line.slice('batch.'.length)}'` : `'${line}'`;
      const found = execFileSync('git', ['grep', '-lF', text, '--', 'apps', 'packages'], {
        cwd: root,
        encoding: 'utf8',
      });
      expect(found).not.toBe('');
    }
    for (const [name] of page.matchAll(/\b[A-Z]{2,}(?:_[A-Z]+)+\b/g)) {
      if (!['EVENT_ID', 'CSRF'].includes(name)) expect(Object.keys(settingsTable)).toContain(name);
    }
    for (const [, target = ''] of page.matchAll(/\]\(([^)#]+)/g))
      expect(existsSync(new URL(target, folder)), target).toBe(true);
  });

  test.each([...files, 'README.md'])('%s leads to no page that a pod does not serve', (file) => {
    const targets = [...read(file).matchAll(/\]\(([^)]+)\)/g)].map(([, target = '']) => target);
    for (const target of targets) expect(target).toMatch(/^(?:[a-z-]+|README)\.md(?:#[a-z-]+)?$|^#[a-z-]+$/);
  });

  test.each(files.filter((file) => read(file).includes('kubectl')))(
    '%s says where the commands without Kubernetes are',
    (file) => {
      expect(read(file)).toContain('](README.md#without-kubernetes)');
      expect(read('README.md')).toContain('\n## Without Kubernetes\n');
    },
  );

  test.each(files)(
    '%s reads whole logs: with a selector, kubectl prints only the last 10 lines of each pod',
    (file) => {
      const commands = read(file).match(/^kubectl .* logs .*-l .*$/gm) ?? [];
      for (const command of commands) expect(command).toContain(' --tail=-1 ');
    },
  );

  test.runIf(promtool !== null)('have queries that Prometheus can parse', () => {
    const rules = files.flatMap((file) =>
      listQueries(read(file)).map((expr, index) => ({ record: `q${index}`, labels: { file }, expr })),
    );
    expect(rules.length).toBeGreaterThan(50);
    const text = JSON.stringify({ groups: [{ name: 'queries', rules }] });
    const args = ['check', 'rules', '--lint=none', 'queries.yaml'];
    expect(runPromtool(promtool ?? '', args, { files: { 'queries.yaml': text } })).toMatchObject({ exitCode: 0 });
  });
});
