import { readFileSync } from 'node:fs';
import { entities } from '@widget-service/shared/entities/entities.ts';
import { createMetrics } from '@widget-service/shared/metrics/metrics.ts';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openEmbeddedTestBackend } from '../../drivers/app/embedded-test-backend.ts';
import { findPrometheusTool, runPromtool } from '../../drivers/cluster/prometheus-tools.ts';
import { listKnownSeries } from './healthy-series.ts';
import {
  configurationPath,
  findGroupingLabels,
  findSelectors,
  loadAlerts,
  loadPanelQueries,
  loadRules,
  ruleFilePaths,
} from './rule-files.ts';

const promtool = findPrometheusTool('promtool');

/** Labels that Prometheus or the scrape configuration adds. */
const scrapeLabels = ['job', 'instance', 'component', 'namespace', 'pod', 'le'];

const isPort = (value: unknown) => typeof value === 'object' && value !== null;

const expressions = [
  ...loadRules().map(({ record, alert, expr }) => [record ?? alert ?? '', expr] as const),
  ...loadPanelQueries().map(({ dashboard, panel, expr }) => [`${dashboard}: ${panel}`, expr] as const),
];

describe('rules and dashboards', () => {
  test.each(expressions)('%s names only metrics and labels that exist', async (_, expr) => {
    const known = await listKnownSeries();
    const selectors = findSelectors(expr);
    expect(selectors.length).toBeGreaterThan(0);
    const labels = new Set(scrapeLabels);
    for (const { metric, labels: matched } of selectors) {
      const own = known.get(metric);
      expect(own, `${metric} does not exist`).toBeDefined();
      for (const label of own ?? []) labels.add(label);
      expect([...scrapeLabels, ...(own ?? [])]).toEqual(expect.arrayContaining([...matched]));
    }
    expect([...labels]).toEqual(expect.arrayContaining(findGroupingLabels(expr)));
  });

  test('use every metric of the service at least once', async () => {
    const used = new Set(expressions.flatMap(([, expr]) => findSelectors(expr)).map(({ metric }) => metric));
    const own = (await createMetrics('embedded').registry.getMetricsAsJSON())
      .map(({ name }) => name)
      .filter((name) => name.startsWith('widget_'));
    const isUsed = (name: string) =>
      [name, `${name}_bucket`, `${name}_sum`, `${name}_count`].some((series) => used.has(series));
    expect(own.filter((name) => !isUsed(name))).toEqual([]);
  });

  test('count the calls of every port for exactly one store', async () => {
    const { backend, dispose } = await openEmbeddedTestBackend({});
    onTestFinished(dispose);
    const ports = Object.entries(backend).flatMap(([name, value]) => (isPort(value) ? [name] : []));
    expect(ports.length).toBeGreaterThan(15);
    const counted = loadRules()
      .filter(({ record }) => record?.startsWith('namespace_store:widget_store_calls_unavailable:') === true)
      .map(({ expr }) => expr.match(/port=~"([^"]*)"/g) ?? []);
    // Of 2 minutes and of 1.
    expect(counted).toHaveLength(4);
    expect(counted.slice(2)).toEqual(counted.slice(0, 2));
    // Each rule has its list twice: of the failures, and of all calls.
    for (const lists of counted) expect(lists).toEqual([lists[0], lists[0]]);
    const [redis = [], mongodb = []] = counted.map(([list = '']) => list.slice('port=~"'.length, -1).split('|'));
    expect([...redis, ...mongodb].toSorted()).toEqual(ports.toSorted());
    const source = new URL('../../../packages/cluster/src/mongo/open-mongo-stores.ts', import.meta.url);
    const opened = readFileSync(source, 'utf8').matchAll(/(\w+): new Mongo/g);
    const adapters = [...Object.keys(entities), ...Array.from(opened, ([, name = '']) => name)];
    expect(mongodb.toSorted()).toEqual(adapters.toSorted());
  });

  test.each(loadAlerts())('$alert ($labels.severity) has a severity, a summary and a description', (rule) => {
    expect(['page', 'ticket']).toContain(rule.labels?.severity);
    expect(rule.annotations?.summary).toMatch(/^\S.{10,}[^.]$/);
    expect(rule.annotations?.description).toMatch(/^\S.{20,}\.$/);
  });
});

describe.runIf(promtool !== null)('promtool', () => {
  test('accepts the rules and the example configuration', () => {
    const rules = runPromtool(promtool ?? '', ['check', 'rules', '--lint=all', '--lint-fatal', ...ruleFilePaths]);
    expect(rules).toMatchObject({ exitCode: 0 });
    expect(runPromtool(promtool ?? '', ['check', 'config', configurationPath])).toMatchObject({ exitCode: 0 });
  });
});
