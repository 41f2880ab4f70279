import type { Dashboard, Panel, Query } from './dashboard.ts';

// `$datasource`, the first variable of each dashboard.
const datasource = { type: 'prometheus', uid: '$datasource' };
const namespaceMatcher = 'namespace=~"$namespace"';
/** Grafana's grid has 24 columns. */
const columns = 24;
const sizes = {
  timeseries: { w: 8, h: 8 },
  stat: { w: 4, h: 4 },
  table: { w: 12, h: 8 },
} as const;
const tag = 'widget-service';

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
  for (const { title, panels } of rows) {
    const row = { type: 'row', title, collapsed: false, gridPos: { x: 0, y, w: columns, h: 1 }, panels: [] };
    placed.push({ id: placed.length + 1, ...row });
    y += 1;
    let x = 0;
    let lineHeight = 0;
    for (const panel of panels) {
      const { w, h } = sizes[panel.type];
      if (x + w > columns) {
        x = 0;
        y += lineHeight;
        lineHeight = 0;
      }
      placed.push({ id: placed.length + 1, ...toPanel(panel), gridPos: { x, y, w, h } });
      x += w;
      lineHeight = Math.max(lineHeight, h);
    }
    y += lineHeight;
  }
  return placed;
}

function toPanel({ type, title, description, unit, queries, thresholds, isLowBad = false }: Panel): object {
  return {
    type,
    title,
    description,
    datasource,
    targets: queries.map(toTarget),
    fieldConfig: {
      defaults: {
        unit,
        min: 0,
        thresholds: { mode: 'absolute', steps: toSteps(thresholds, isLowBad) },
        ...drawing(type),
      },
      overrides: [],
    },
    options: panelOptions[type],
    ...(type === 'table'
      ? {
          transformations: [
            { id: 'labelsToFields', options: {} },
            { id: 'merge', options: {} },
          ],
        }
      : {}),
  };
}

const panelOptions = {
  timeseries: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } },
  stat: { reduceOptions: { calcs: ['lastNotNull'] }, colorMode: 'value', graphMode: 'area' },
  table: { showHeader: true },
} as const;

function drawing(type: Panel['type']): object {
  if (type === 'stat') return { color: { mode: 'thresholds' } };
  if (type === 'table') return {};
  return {
    color: { mode: 'palette-classic' },
    custom: { lineWidth: 1, fillOpacity: 8, spanNulls: false, thresholdsStyle: { mode: 'dashed' } },
  };
}

function toSteps(thresholds: Panel['thresholds'], isLowBad: boolean): object[] {
  if (thresholds === undefined) return [{ color: 'green', value: null }];
  const [orange, red] = thresholds;
  if (isLowBad) {
    return [
      { color: 'red', value: null },
      ...(orange === null ? [] : [{ color: 'orange', value: red }]),
      { color: 'green', value: orange ?? red },
    ];
  }
  return [
    { color: 'green', value: null },
    ...(orange === null ? [] : [{ color: 'orange', value: orange }]),
    { color: 'red', value: red },
  ];
}

function toTarget({ expr, legend, isInstant = false }: Query, index: number): object {
  return {
    refId: String.fromCharCode('A'.charCodeAt(0) + index),
    datasource,
    expr: expr.replaceAll('{NS', `{${namespaceMatcher}`),
    legendFormat: legend,
    ...(isInstant ? { instant: true, range: false, format: 'table' } : { range: true }),
  };
}
