import type { History } from '../../simulation/world/history.ts';

/** Whether the second of two versions may come right after the first in an epoch. */
export type MayFollow = (epoch: string, widgetId: string, before: number, version: number) => boolean;

/**
 * Versions are dense, but for those that were told in another epoch and lost with it: nobody has them any more, and the
 * change of the epoch tells so. What an epoch itself has lost would be a hole that nobody is told of.
 */
export function createMayFollow({ lostEvents }: History): MayFollow {
  const lostIn = new Map<string, Set<string>>();
  for (const { record } of lostEvents) {
    const key = `${record.event.widgetId} ${versionIn(record.event.json)}`;
    lostIn.set(key, (lostIn.get(key) ?? new Set()).add(record.epoch));
  }
  const isLostElsewhere = (epoch: string, key: string) => [...(lostIn.get(key) ?? [])].some((lost) => lost !== epoch);
  return (epoch, widgetId, before, version) => {
    for (let between = before + 1; between < version; between += 1) {
      if (!isLostElsewhere(epoch, `${widgetId} ${between}`)) return false;
    }
    return version > before;
  };
}

/** Null where no known widget is concerned. */
export function versionIn(json: string): number | null {
  const { data } = JSON.parse(json) as { data: { widget: { version: number } | null } };
  return data.widget?.version ?? null;
}
