import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

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
