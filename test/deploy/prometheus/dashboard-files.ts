import { readFileSync } from 'node:fs';

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
