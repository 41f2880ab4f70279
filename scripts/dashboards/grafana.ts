/** The parts of Grafana's dashboard model that the dashboards here use, in a shorter form, and what Grafana imports. */

export interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly description: string;
  /** The panels of each row, by its title. */
  readonly rows: Readonly<Record<string, readonly Panel[]>>;
}

/** Grafana's names of the units that the panels use. */
type Unit = 'short' | 's' | 'bytes' | 'Bps' | 'percentunit' | 'reqps' | 'ops' | 'cps' | 'none';

// `$datasource`, the first variable of each dashboard.
const datasource = { type: 'prometheus', uid: '$datasource' };
const namespaceMatcher = 'namespace=~"$namespace"';
/** Grafana's grid has 24 columns. */
const columns = 24;
const tag = 'widget-service';

/** What differs between the kinds of panels. */
const kinds = {
  timeseries: {
    size: { w: 8, h: 8 },
    target: { range: true },
    drawing: {
      color: { mode: 'palette-classic' },
      custom: { lineWidth: 1, fillOpacity: 8, spanNulls: false, thresholdsStyle: { mode: 'dashed' } },
    },
    options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } },
    more: {},
  },
  stat: {
    size: { w: 4, h: 4 },
    target: { range: true },
    drawing: { color: { mode: 'thresholds' } },
    options: { reduceOptions: { calcs: ['lastNotNull'] }, colorMode: 'value', graphMode: 'area' },
    more: {},
  },
  table: {
    size: { w: 12, h: 8 },
    target: { instant: true, range: false, format: 'table' },
    drawing: {},
    options: { showHeader: true },
    more: {
      transformations: [
        { id: 'labelsToFields', options: {} },
        { id: 'merge', options: {} },
      ],
    },
  },
} as const;

interface Panel {
  /** Adds a line, by PromQL: `{NS}` and `{NS,` stand for the matcher of the dashboard's namespace variable. */
  line(expr: string, legend?: string): Panel;
  /** The panel is orange and red from these values on. A null leaves the colour out. */
  limits(orange: number | null, red: number): Panel;
  /** The panel is orange and red below these values. */
  lowLimits(orange: number, red: number): Panel;
  readonly size: { readonly w: number; readonly h: number };
  toJSON(): object;
}

/** `description` tells what the reader learns from it, and which value is bad. */
function makePanel(type: keyof typeof kinds, title: string, unit: Unit, description: string): Panel {
  const { size, target, drawing, options, more } = kinds[type];
  const targets: object[] = [];
  let steps: object[] = [{ color: 'green', value: null }];
  const panel: Panel = {
    line: (expr, legend = type === 'stat' ? title : type === 'table' ? '' : nameLabels(expr)) => {
      const refId = String.fromCharCode('A'.charCodeAt(0) + targets.length);
      const query = expr.replaceAll('{NS', `{${namespaceMatcher}`);
      targets.push({ refId, datasource, expr: query, legendFormat: legend, ...target });
      return panel;
    },
    limits: (orange, red) => {
      if (orange !== null) steps.push({ color: 'orange', value: orange });
      steps.push({ color: 'red', value: red });
      return panel;
    },
    lowLimits: (orange, red) => {
      steps = [
        { color: 'red', value: null },
        { color: 'orange', value: red },
        { color: 'green', value: orange },
      ];
      return panel;
    },
    size,
    toJSON: () => {
      const defaults = { unit, min: 0, thresholds: { mode: 'absolute', steps }, ...drawing };
      const fieldConfig = { defaults, overrides: [] };
      return { type, title, description, datasource, targets, fieldConfig, options, ...more };
    },
  };
  return panel;
}

/** A graph. The name of a line is, by default, the labels after its `by`. */
export const graph = (title: string, unit: Unit, description: string) =>
  makePanel('timeseries', title, unit, description);

/** One large number. */
export const stat = (title: string, unit: Unit, description: string) => makePanel('stat', title, unit, description);

/** A table of the newest values, one line per series. */
export const table = (title: string, unit: Unit, description: string) => makePanel('table', title, unit, description);

function nameLabels(expr: string): string {
  const labels = expr.split('by (')[1]?.split(')')[0]?.split(', ') ?? [];
  return labels.flatMap((label) => (label === 'le' ? [] : [`{{${label}}}`])).join(' ');
}

/** The quantile of a histogram as PromQL. `by` names further labels to keep. */
export function quantile(q: number, histogram: string, matchers = '', by = ''): string {
  const labels = by === '' ? 'le' : `le, ${by}`;
  const selector = matchers === '' ? '{NS}' : `{NS,${matchers}}`;
  return `histogram_quantile(${q}, sum by (${labels}) (rate(${histogram}_bucket${selector}[$__rate_interval])))`;
}

/** Returns the dashboard as Grafana 11 imports it. */
export function toGrafana({ uid, title, description, rows }: Dashboard): object {
  return {
    uid,
    title,
    description,
    tags: [tag],
    schemaVersion: 39,
    version: 1,
    editable: true,
    graphTooltip: 1,
    refresh: '30s',
    time: { from: 'now-1h', to: 'now' },
    timezone: 'browser',
    links: [{ type: 'dashboards', title: 'Widget Service', tags: [tag], asDropdown: true, keepTime: true }],
    templating: { list: [datasourceVariable, namespaceVariable] },
    panels: placeRows(rows),
  };
}

const datasourceVariable = { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' };

/** "All" also matches series without a namespace, as a Prometheus outside Kubernetes has them. */
const namespaceVariable = {
  name: 'namespace',
  label: 'Namespace',
  type: 'query',
  datasource,
  query: { query: 'label_values(widget_build_info, namespace)', refId: 'namespace' },
  refresh: 2,
  includeAll: true,
  allValue: '.*',
  multi: true,
  current: { text: 'All', value: '$__all' },
};

/** Places the panels of each row from left to right, and gives each one an id. */
function placeRows(rows: Dashboard['rows']): object[] {
  const placed: object[] = [];
  let y = 0;
  for (const [title, panels] of Object.entries(rows)) {
    const row = { type: 'row', title, collapsed: false, gridPos: { x: 0, y, w: columns, h: 1 }, panels: [] };
    placed.push({ id: placed.length + 1, ...row });
    y += 1;
    let x = 0;
    let lineHeight = 0;
    for (const panel of panels) {
      const { w, h } = panel.size;
      if (x + w > columns) {
        x = 0;
        y += lineHeight;
        lineHeight = 0;
      }
      placed.push({ id: placed.length + 1, ...panel.toJSON(), gridPos: { x, y, w, h } });
      x += w;
      lineHeight = Math.max(lineHeight, h);
    }
    y += lineHeight;
  }
  return placed;
}
