import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

/** How much faster than in production the shortened rules are. A window of an hour becomes one of a minute. */
const speedUp = 60;

const secondsPerUnit: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

function shortenDuration(duration: string): string {
  const seconds = Number(duration.slice(0, -1)) * (secondsPerUnit[duration.slice(-1)] ?? Number.NaN);
  return `${Math.round((seconds / speedUp) * 1_000)}ms`;
}

function shortenRanges(text: string): string {
  return text
    .replaceAll(/\[(\d+[smhd])\]/g, (_, duration: string) => `[${shortenDuration(duration)}]`)
    .replaceAll(/\boffset (\d+[smhd])\b/g, (_, duration: string) => `offset ${shortenDuration(duration)}`);
}

/** Returns a PromQL expression with shorter ranges. `$__rate_interval` of Grafana becomes 10 s. */
export function shortenExpression(expression: string): string {
  return shortenRanges(expression).replaceAll('$__rate_interval', '10s').replaceAll('$namespace', '.*');
}

/**
 * Returns the text of a rule file with ranges and `for` that are 60 times shorter, and then replaces each key of
 * `changes` by its value. Names of recorded series, such as `…:ratio_rate5m`, stay.
 */
export function shortenRuleFile(text: string, changes: Readonly<Record<string, string>>): string {
  const shorter = shortenRanges(text).replaceAll(
    /^( +for: )(\d+[smhd])$/gm,
    (_, start: string, duration: string) => start + shortenDuration(duration),
  );
  return Object.entries(changes).reduce((result, [from, to]) => result.replaceAll(from, to), shorter);
}

/** A selector of an expression, for example `up{job="a"}`: the metric, and the labels that its matchers name. */
export interface Selector {
  readonly text: string;
  readonly metric: string;
  readonly labels: readonly string[];
}

/** Words of PromQL that are neither a function nor a metric. Functions have a parenthesis behind their name. */
const keywords = new Set(['and', 'or', 'unless', 'offset', 'bool', 'inf', 'nan']);
/** A clause with labels in parentheses, such as `by (le)`. */
const labelClause = /\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)/g;
const selector = /(?<![\w:"])([a-zA-Z_:][\w:]*)\s*(\{(?:[^"}]|"(?:[^"\\]|\\.)*")*\})?(?![\w:]|\s*\()/g;

/** Returns every selector of a PromQL expression. Good enough for the rules and dashboards here; it is no parser. */
export function findSelectors(expression: string): Selector[] {
  const bare = expression
    .replaceAll(labelClause, ' ')
    // Ranges: `[5m]` would read as the name m.
    .replaceAll(/\[[^\]]*\]/g, ' ');
  return Array.from(bare.matchAll(selector), ([, metric = '', matchers = '']) => ({
    text: `${metric}${matchers}`,
    metric,
    labels: Array.from(matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g), ([, label = '']) => label),
  })).filter(({ metric }) => !keywords.has(metric.toLowerCase()));
}

/** Returns the labels that `by (…)`, `on (…)` and similar clauses name. */
export function findGroupingLabels(expression: string): string[] {
  return Array.from(expression.matchAll(labelClause), ([, list = '']) => list.split(','))
    .flat()
    .map((label) => label.trim())
    .filter((label) => label !== '');
}

export const dashboardNames = ['service', 'streams', 'hooks', 'backends'] as const;

/** The members of Grafana's dashboard model that the tests read. */
export interface DashboardFile {
  readonly uid: string;
  readonly title: string;
  readonly schemaVersion: number;
  readonly templating: { readonly list: readonly { readonly name: string; readonly type: string }[] };
  readonly panels: readonly PanelFile[];
}

export interface PanelFile {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly datasource?: { readonly uid: string };
  readonly targets?: readonly { readonly refId: string; readonly expr: string; readonly legendFormat: string }[];
  readonly fieldConfig?: {
    readonly defaults: {
      readonly unit: string;
      readonly thresholds: { readonly steps: readonly { readonly color: string; readonly value: number | null }[] };
    };
  };
}

export function loadDashboard(name: (typeof dashboardNames)[number]): DashboardFile {
  const file = new URL(`../../../deploy/grafana/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as DashboardFile;
}

/** A query of a panel, and where it is from. */
export interface PanelQuery {
  readonly dashboard: string;
  readonly panel: string;
  readonly legend: string;
  readonly expr: string;
}

export function loadPanelQueries(): PanelQuery[] {
  return dashboardNames.flatMap((dashboard) =>
    loadDashboard(dashboard).panels.flatMap(({ title, targets = [] }) =>
      targets.map(({ expr, legendFormat }) => ({ dashboard, panel: title, legend: legendFormat, expr })),
    ),
  );
}

/** One rule. A recording rule has `record`, an alerting rule has `alert`. */
export interface Rule {
  readonly record?: string;
  readonly alert?: string;
  readonly expr: string;
  /** A Prometheus duration. */
  readonly for?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

interface RuleFile {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[];
}

const folder = new URL('../../../deploy/prometheus/', import.meta.url);

/** The rule files, as paths. */
export const ruleFilePaths = ['recording-rules.yaml', 'alerting-rules.yaml'].map((name) =>
  fileURLToPath(new URL(name, folder)),
);

/** The example of a scrape configuration, as a path. */
export const configurationPath = fileURLToPath(new URL('prometheus.yaml', folder));

function loadRuleFile(path: string): RuleFile {
  return parse(readFileSync(path, 'utf8')) as RuleFile;
}

export function loadRules(): Rule[] {
  return ruleFilePaths.map(loadRuleFile).flatMap(({ groups }) => groups.flatMap(({ rules }) => rules));
}

/** The alerting rules. Two of them may have the same name and different severities. */
export function loadAlerts(): (Rule & { readonly alert: string })[] {
  return loadRules().flatMap((rule) => (rule.alert === undefined ? [] : [{ ...rule, alert: rule.alert }]));
}
