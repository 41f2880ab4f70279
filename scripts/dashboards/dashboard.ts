/** The parts of Grafana's dashboard model that the dashboards here use, in a shorter form. */

export interface Query {
  /** PromQL. `{NS}` and `{NS,` stand for the matcher of the dashboard's namespace variable. */
  readonly expr: string;
  /** The name of a line, for example `{{instance}}`. */
  readonly legend: string;
  /** True for a table: only the newest values. */
  readonly isInstant?: boolean;
}

/** Grafana's names of the units that the panels use. */
export type Unit =
  | 'short'
  | 's'
  | 'bytes'
  | 'Bps'
  | 'percentunit'
  | 'reqps'
  | 'ops'
  | 'cps'
  | 'none'
  | 'bool_yes_no'
  | 'dateTimeFromNow';

export interface Panel {
  readonly title: string;
  /** What the reader learns from it, and which value is bad. */
  readonly description: string;
  readonly type: 'timeseries' | 'stat' | 'table';
  readonly unit: Unit;
  readonly queries: readonly Query[];
  /** From these values on, the panel is orange and red. A null leaves the colour out. */
  readonly thresholds?: readonly [orange: number | null, red: number];
  /** True if values below the thresholds are bad, for example a small number of processes. */
  readonly isLowBad?: boolean;
}

interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

export interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly description: string;
  readonly rows: readonly Row[];
}

type PanelOptions = Partial<Pick<Panel, 'thresholds' | 'isLowBad'>>;
type Queries = Readonly<Record<string, string>>;

function toQueries(queries: Queries): Query[] {
  return Object.entries(queries).map(([legend, expr]) => ({ expr, legend }));
}

/** A graph. The keys of `queries` are the names of the lines. */
export function graph(
  title: string,
  unit: Unit,
  description: string,
  queries: Queries,
  options: PanelOptions = {},
): Panel {
  return { type: 'timeseries', title, unit, description, queries: toQueries(queries), ...options };
}

/** One large number. */
export function stat(title: string, unit: Unit, description: string, expr: string, options: PanelOptions = {}): Panel {
  return { type: 'stat', title, unit, description, queries: [{ expr, legend: title }], ...options };
}

/** A table of the newest values, one line per series. */
export function table(title: string, unit: Unit, description: string, expr: string): Panel {
  return { type: 'table', title, unit, description, queries: [{ expr, legend: '', isInstant: true }] };
}

/** The quantile of a histogram as PromQL. `by` names further labels to keep. */
export function quantile(q: number, histogram: string, matchers = '', by = ''): string {
  const labels = by === '' ? 'le' : `le, ${by}`;
  const selector = matchers === '' ? '{NS}' : `{NS,${matchers}}`;
  return `histogram_quantile(${q}, sum by (${labels}) (rate(${histogram}_bucket${selector}[$__rate_interval])))`;
}
