import type { History } from '../../simulation/world/history.ts';

/** Returns whether `version` may come immediately after `before` in an epoch. */
export type MayFollow = (epoch: string, widgetId: string, before: number, version: number) => boolean;

/**
 * The versions of a widget rise by exactly one, except for versions that were published in another epoch and lost with
 * it: the change of the epoch announces that loss. A version that the epoch itself lost would be a hole that nothing
 * announces.
 */
export function makeMayFollow({ lostEvents }: History): MayFollow {
  const lostIn = new Map<string, Set<string>>();
  for (const { record } of lostEvents) {
    const key = `${record.event.widgetId} ${parseVersion(record.event.json)}`;
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

/** Returns null if the event concerns no known widget. */
export function parseVersion(json: string): number | null {
  const { data } = JSON.parse(json) as { data: { widget: { version: number } | null } };
  return data.widget?.version ?? null;
}
