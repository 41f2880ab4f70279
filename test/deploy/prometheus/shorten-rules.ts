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
