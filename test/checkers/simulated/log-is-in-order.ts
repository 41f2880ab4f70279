import type { World } from '../../simulation/world/world.ts';
import { createMayFollow, versionIn } from './lost-versions.ts';

/** In each epoch the numbers of the log, and per widget the versions, rise and are dense; but for lost versions. */
export function logIsInOrder({ history }: World): string[] {
  const violations: string[] = [];
  const mayFollow = createMayFollow(history);
  const seqs = new Map<string, number>();
  const versions = new Map<string, number>();
  for (const { epoch, seq, event } of history.log) {
    const before = seqs.get(epoch);
    if (before !== undefined && seq !== before + 1) violations.push(`C3: log: ${epoch}: ${seq} comes after ${before}`);
    seqs.set(epoch, seq);
    const version = versionIn(event.json);
    if (event.widgetId === null || version === null) continue;
    const key = `${epoch} ${event.widgetId}`;
    const last = versions.get(key);
    if (last !== undefined && !mayFollow(epoch, event.widgetId, last, version)) {
      violations.push(`C3: log: ${event.widgetId}: version ${version} comes after ${last}`);
    }
    versions.set(key, version);
  }
  return violations;
}
