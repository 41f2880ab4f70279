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
