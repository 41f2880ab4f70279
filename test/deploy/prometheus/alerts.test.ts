import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { conditionsTable } from '@widget-service/api/operators/conditions.ts';
import { describe, expect, test } from 'vitest';
import { findPrometheusTool, runPromtool } from '../../drivers/cluster/prometheus-tools.ts';
import { type AlertCase, buildHealthySeries, type SeriesValues } from './healthy-series.ts';
import { hookCases, promiseCases } from './hook-alert-cases.ts';
import { loadAlerts, ruleFilePaths } from './rule-files.ts';
import {
  auditCases,
  controlCases,
  diskCases,
  floodCases,
  outageCases,
  rateLimiterCases,
  storeCases,
} from './store-alert-cases.ts';
import { processCases, streamCases } from './stream-alert-cases.ts';

const promtool = findPrometheusTool('promtool');
const ruleFiles = Object.fromEntries(ruleFilePaths.map((path) => [basename(path), readFileSync(path, 'utf8')]));
const alertCases = [
  ...[...promiseCases, ...hookCases, ...streamCases, ...processCases],
  ...[...storeCases, ...outageCases, ...rateLimiterCases, ...auditCases, ...controlCases, ...diskCases, ...floodCases],
];
const intervals = 421;

/** Returns the check of promtool that at this minute exactly these alerts fire. */
function expectFiring(minute: number, firing: readonly string[]): object {
  const exp_samples = firing.map((alert) => {
    const [name = '', severity = ''] = alert.split(' ');
    return { labels: `{alertname="${name}", severity="${severity}"}`, value: 1 };
  });
  return {
    expr: 'group by (alertname, severity) (ALERTS{alertstate="firing"})',
    eval_time: `${60 * minute}s`,
    exp_samples,
  };
}

function buildTest(interval: number, series: SeriesValues, checks: readonly object[]): object {
  const input_series = Object.entries(series)
    .filter(([, values]) => values.length > 0)
    .map(([name, values]) => ({ series: name, values: values.map((value) => value ?? '_').join(' ') }));
  return { interval: `${60 * interval}s`, input_series, promql_expr_test: checks };
}

/** promtool reads YAML, and JSON is YAML. It has `rule_files` beside it. */
function runTest(interval: number, series: SeriesValues, checks: readonly object[]) {
  const text = {
    rule_files: Object.keys(ruleFiles),
    evaluation_interval: `${60 * interval}s`,
    tests: [buildTest(interval, series, checks)],
  };
  return runPromtool(promtool ?? '', ['test', 'rules', 'test.yaml'], {
    files: { ...ruleFiles, 'test.yaml': JSON.stringify(text) },
  });
}

const runCase = ({ interval, series, firesAt, firing, clearsAt }: AlertCase) => {
  // Where nothing may fire, nothing may fire at any time.
  const minutes = Array.from({ length: Math.round(clearsAt / interval) }, (_, count) => count * interval);
  const silences = firing.length > 0 ? [] : minutes.map((minute) => expectFiring(minute, []));
  return runTest(interval, { ...buildHealthySeries(intervals), ...series }, [
    expectFiring(10 * interval, []),
    expectFiring(firesAt, firing),
    expectFiring(clearsAt, []),
    ...silences,
  ]);
};

test('each alert has a case in which it fires', () => {
  const covered = new Set(alertCases.flatMap(({ firing }) => firing));
  const all = loadAlerts().map(({ alert, labels }) => `${alert} ${labels?.severity}`);
  expect([...covered].toSorted()).toEqual(all.toSorted());
});

describe.runIf(promtool !== null)('alerts, tried by promtool', () => {
  test('are silent while the service is healthy, for six hours', () => {
    const checks = [1, 5, 30, 60, 120, 240, 360].map((minute) => ({
      expr: 'ALERTS',
      eval_time: `${minute}m`,
      exp_samples: [],
    }));
    expect(runTest(1, buildHealthySeries(intervals), checks)).toMatchObject({ exitCode: 0 });
  });

  test('fail a case that expects the wrong alerts', () => {
    const { exitCode, output } = runTest(1, buildHealthySeries(30), [expectFiring(20, ['WidgetHooksWait page'])]);
    expect(exitCode).toBe(1);
    expect(output).toContain('WidgetHooksWait');
  });

  test('are silent for a healthy embedded service, which has no worker', () => {
    const series = Object.entries(buildHealthySeries(intervals)).flatMap(([name, values]) => {
      if (name.includes('api-1') || name.includes('worker-1') || (name.startsWith('up{') && name.includes('worker')))
        return [];
      const renamed = name.replace('component="worker",instance="worker-0"', 'component="api",instance="api-0"');
      return [[renamed.replace('backend="cluster"', 'backend="embedded"'), values]] as const;
    });
    const unique = Object.fromEntries(series);
    expect(
      runTest(
        1,
        unique,
        [60, 360].map((minute) => expectFiring(minute, [])),
      ),
    ).toMatchObject({ exitCode: 0 });
  });

  test.each(alertCases)('$fault: $firing', (alertCase) => {
    const { exitCode, output } = runCase(alertCase);
    expect(exitCode, output).toBe(0);
  });
});

describe('the limits of the overview are those of the alerts', () => {
  test.each(Object.entries(conditionsTable))('%s', (_, kind) => {
    const rules = loadAlerts().filter(
      ({ alert, labels }) => alert === kind.alert && labels?.severity === kind.severity,
    );
    expect(rules).not.toEqual([]);
    for (const { annotations } of rules) expect(annotations?.runbook_url).toBe(`docs/runbooks/${kind.runbook}.md`);
    if (!('limit' in kind)) return;
    const { metric, above } = kind.limit;
    const [, ...compared] = rules[0]?.expr.split(metric) ?? [];
    const limit = /^\)? > ([\d.* ]+)/.exec(compared[0] ?? '')?.[1] ?? '';
    expect(limit.split('*').reduce((product, factor) => product * Number(factor), 1)).toBe(above);
  });
});
