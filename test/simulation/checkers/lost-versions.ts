import type { History } from '../world/history.ts';

/** Whether the second of two versions may come right after the first: what lies between was lost with the log. */
export type MayFollow = (widgetId: string, before: number, version: number) => boolean;

/** Versions are dense, but for those that were told, lost and announced as lost: nobody has them any more. */
export function createMayFollow({ lostEvents }: History): MayFollow {
  const lost = new Set(lostEvents.map(({ record }) => `${record.event.widgetId} ${versionIn(record.event.json)}`));
  return (widgetId, before, version) => {
    if (version <= before) return false;
    for (let between = before + 1; between < version; between += 1) {
      if (!lost.has(`${widgetId} ${between}`)) return false;
    }
    return true;
  };
}

/** Null where no known widget is concerned. */
export function versionIn(json: string): number | null {
  const { data } = JSON.parse(json) as { data: { widget: { version: number } | null } };
  return data.widget?.version ?? null;
}
